// What both clients' scripts have in common.
import { text } from "node:stream/consumers";

/** What came of each call on stdin, a JSON list, in order. */
export async function outcomes(make) {
  const made = [];
  for (const call of JSON.parse(await text(process.stdin))) {
    try {
      made.push(await make(call));
    } catch (error) {
      made.push({ message: String(error?.message ?? error) });
    }
  }
  return made;
}

/** "resource.method" of everything a client offers. */
export function methodsOf(client) {
  const found = [];
  for (const [resource, value] of Object.entries(client)) {
    for (const name in typeof value === "object" ? value : {}) {
      if (typeof value[name] === "function") found.push(`${resource}.${name}`);
    }
  }
  return found.sort();
}

// npm buttercms 3.x: makes the calls it reads from stdin, one after another, and prints what came of each.
// Arguments: how the package is loaded (import or require), the base of the service. Its own address is built in, so
// `fetch` is wrapped; nothing else is touched.
import { createRequire } from "node:module";
import { outcomes, methodsOf } from "./calls.mjs";

const [, , loading, base] = process.argv;
const BUILT_IN = "https://api.buttercms.com/v2";
const fetchIt = globalThis.fetch;
const requests = [];
globalThis.fetch = (address, options) => {
  if (!String(address).startsWith(`${BUILT_IN}/`)) throw new Error(`unexpected address ${address}`);
  requests.push(Object.fromEntries(options.headers.entries()));
  return fetchIt(base + String(address).slice(BUILT_IN.length), options);
};

const loaded = loading === "require" ? createRequire(import.meta.url)("buttercms") : await import("buttercms");
const Butter = loaded.default ?? loaded;

function shownError(error) {
  const cause = error?.cause;
  return cause?.status
    ? { message: error.message, status: cause.status, data: cause.data, type: cause.type }
    : { message: String(error?.message ?? error) };
}

async function make(call) {
  const heard = [];
  const hooks = call.hooks
    ? {
        onRequest: async (resource, config) => {
          heard.push(["request", config.type]);
          return { ...config, params: { ...config.params, page_size: 1 } };
        },
        onResponse: async (response, config) => heard.push(["response", config.type, response.status]),
        onError: (error, config) => heard.push(["error", config.type, error?.detail ?? null]),
      }
    : {};
  const client = Butter(call.token, { timeout: 60000, ...call.options, ...hooks });
  const pending = client[call.resource][call.method](...call.args);
  if (call.cancel) client[call.resource].cancelRequest();
  try {
    const { status, data, config } = await pending;
    return { status, data, url: config?.url ?? null, heard };
  } catch (error) {
    return { ...shownError(error), heard };
  }
}

console.log(JSON.stringify({ methods: methodsOf(Butter("x")), outcomes: await outcomes(make), requests }));

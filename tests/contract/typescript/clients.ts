// Clients with the types of the API, and what the program that the test writes does with each answer.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./api.js";

type Outcome = { operation: string; status: number; hasData: boolean; hasError: boolean; write: string };

/** A client that sends the token, if there is one. */
export function clientOf(base: string, token: string): Client<paths> {
  return createClient<paths>({
    baseUrl: base,
    headers: token ? { Authorization: `Token ${token}` } : {},
    querySerializer: { object: { style: "form", explode: true } },
  });
}

/** Accepts values of a known type only: an answer without a schema is an error of the compiler. */
export function typed<T>(value: unknown extends T ? never : T): boolean {
  return value !== undefined;
}

/** What came of a call; of an accepted write, what became of it. */
export async function outcome(
  operation: string,
  client: Client<paths>,
  response: Response,
  hasData: boolean,
  hasError: boolean,
): Promise<Outcome> {
  const location = response.status === 202 ? response.headers.get("location") : null;
  return { operation, status: response.status, hasData, hasError, write: location ? await applied(client, location) : "" };
}

async function applied(client: Client<paths>, location: string): Promise<string> {
  const path = { write_id: location.split("/").at(-2) ?? "" };
  const deadline = Date.now() + 60_000;
  while (true) {
    const { data, error } = await client.GET("/v2/writes/{write_id}/", { params: { path } });
    if (data === undefined) return `unreadable: ${JSON.stringify(error)}`;
    if (data.status !== "accepted" || Date.now() > deadline) return data.status;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

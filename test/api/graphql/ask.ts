/** Asks GraphQL as clients do, of an application without a port. */
import type { Galley } from "../../../src/index.ts";
import { type Body, FULL } from "../../project.ts";

export interface Asked {
  readonly status: number;
  readonly body: Body;
}

export type Ask = (
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
) => Promise<Asked>;

/** The credentials of nobody. */
export const PUBLIC: Readonly<Record<string, string>> = {};

export const asker =
  ({ handle }: Pick<Galley, "handle">): Ask =>
  async (query, variables = {}, headers = FULL) => {
    const request = new Request("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const response = await handle(request);
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };

/** The answer's data. Throws when there were errors. */
export async function readData(asked: Promise<Asked>): Promise<Body> {
  const { body } = await asked;
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

export const readErrors = async (asked: Promise<Asked>): Promise<Body> => (await asked).body.errors;

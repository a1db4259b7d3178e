/** Whatever was recorded of GraphQL is answered the same when it comes again, prepared by then, as when it came first. */
import { expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PreparedRead } from "../../src/api/graphql/prepared/prepared-read.ts";
import type { Galley } from "../../src/index.ts";
import { isRecord } from "../../src/lib/is-record.ts";
import { FreshServers } from "./fresh-servers.ts";
import { play } from "./play.ts";
import type { Recording } from "./scenario.ts";

const here = import.meta.dir;
const files = readdirSync(join(here, "recordings")).filter((file) => file.startsWith("gql-"));

interface Difference {
  readonly query: string;
  readonly first: string;
  readonly again: string;
}

const textOf = async (response: Pick<Response, "status" | "text">): Promise<string> =>
  `${response.status} ${await response.text()}`;

/** The operation of a request that changes nothing; undefined for others, and for what is no operation at all. */
function readOperation(body: string): { readonly query: string; readonly variables?: object } | undefined {
  try {
    const { query, variables, extensions } = JSON.parse(body);
    if (typeof query !== "string" || extensions || !isRecord(variables ?? {})) return undefined;
    const isRead = !/\b(mutation|subscription)\b/.test(query);
    return isRead ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

/** Asks everything that reads three times. A variable that nobody uses keeps the answers from being those that are kept. */
async function playAgain(recording: Recording, galley: Galley): Promise<{ asked: number; differences: Difference[] }> {
  const differences: Difference[] = [];
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const bytes = await request.arrayBuffer();
      const { method, headers } = request;
      const ask = (body: string | ArrayBuffer) =>
        galley.handle(new Request(request.url, { method, headers, ...(bytes.byteLength > 0 ? { body } : {}) }));
      const response = await ask(bytes);
      const operation = readOperation(new TextDecoder().decode(bytes));
      if (!operation) return response;
      const first = await textOf(response.clone());
      asked++;
      for (const time of [2, 3]) {
        const again = await textOf(
          await ask(JSON.stringify({ ...operation, variables: { ...operation.variables, time } })),
        );
        if (again !== first) differences.push({ query: operation.query, first, again });
      }
      return response;
    },
  });
  try {
    await play(recording, server.url.origin, join(here, "files"));
  } finally {
    server.stop(true);
  }
  return { asked, differences };
}

test("everything that was recorded of GraphQL", async () => {
  const run = spyOn(PreparedRead.prototype, "run");
  const servers = new FreshServers();
  let all = 0;
  for (const file of files) {
    const recording = JSON.parse(readFileSync(join(here, "recordings", file), "utf8")) as Recording;
    const { asked, differences } = await playAgain(recording, await servers.serverFor(recording));
    expect(differences).toEqual([]);
    all += asked;
  }
  const prepared = run.mock.results.filter(({ type }) => type === "return").length;
  run.mockRestore();
  await servers.close(true);
  expect(all).toBeGreaterThan(400);
  // the second and the third time; what is refused, and what asks about the schema, is not
  expect(prepared).toBeGreaterThan(all);
}, 180_000);

/** Recorded requests of the admin with a value replaced by one that nobody expects: refused or taken, but never a failure. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { encodeQuery } from "../conformance/play.ts";
import type { Json, Scenario, Step } from "../conformance/scenario.ts";
import { Random } from "../random.ts";

const conformance = join(import.meta.dir, "../conformance");
const HEADERS = { authorization: "Bearer conformance-admin", "content-type": "application/json" };
const SAMPLE = Number(process.env.MUTATED_REQUESTS ?? 600);

const odd: readonly Json[] = [
  null,
  "",
  [],
  {},
  -1,
  1e308,
  "x".repeat(10_000),
  JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as Json,
  [[[[[{ a: [null] }]]]]],
  "'; DROP TABLE articles; --",
  "\u0000",
  true,
];

interface Change {
  readonly step: Step;
  /** Keys from the body or the query. */
  readonly path: readonly string[];
  readonly inQuery: boolean;
}

/** The paths of every value, the whole one included. */
function* listPaths(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (value === null || typeof value !== "object") return;
  for (const [key, inner] of Object.entries(value)) yield* listPaths(inner, [...path, key]);
}

function replaced(value: Json, [key, ...rest]: readonly string[], by: Json): Json {
  if (key === undefined || value === null || typeof value !== "object") return by;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as { [key: string]: Json };
  copy[key] = replaced(copy[key] ?? null, rest, by);
  return copy;
}

/** Variables of scenarios are rows that may be there. */
const filled = (text: string, random: Random): string =>
  text.replace(/\{\{\w+(?::number)?\}\}/g, () => `${1 + random.below(3)}`);

const queryOf = (path: string): Json => Object.fromEntries(new URLSearchParams(path.split("?")[1] ?? ""));

const steps = readdirSync(join(conformance, "scenarios"))
  .filter((file) => file.startsWith("admin-"))
  .map((file) => JSON.parse(readFileSync(join(conformance, "scenarios", file), "utf8")) as Scenario)
  .filter(({ project }) => project === "project")
  .flatMap((scenario) => scenario.steps)
  .filter(({ as, multipart }) => as === "admin" && !multipart);
const changes: readonly Change[] = steps.flatMap((step): Change[] => [
  ...[...listPaths(step.json ?? null)].map((path) => ({ step, path, inQuery: false })),
  ...[...listPaths(queryOf(step.path ?? ""))].slice(1).map((path) => ({ step, path, inQuery: true })),
]);

function createRequest({ step, path, inQuery }: Change, by: Json, random: Random): Request {
  const method = step.method ?? "GET";
  const [place = "", search = ""] = (step.path ?? "").split("?");
  const query = inQuery ? encodeQuery(replaced(queryOf(step.path ?? ""), path, by)) : search;
  const url = `http://localhost${filled(place, random)}${query === "" ? "" : `?${filled(query, random)}`}`;
  if (method === "GET") return new Request(url, { headers: HEADERS });
  const body = inQuery ? (step.json ?? {}) : replaced(step.json ?? {}, path, by);
  return new Request(url, { method, headers: HEADERS, body: filled(JSON.stringify(body), random) });
}

let root: string;
let galley: Galley;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "galley-mutated-"));
  cpSync(join(conformance, "project"), root, { recursive: true });
  galley = await createGalley({ project: root, memory: true, admin: true, environment: { NODE_ENV: "production" } });
});
afterAll(async () => {
  await galley.close();
  rmSync(root, { recursive: true, force: true });
});

test("no route fails for a value of another kind, in a body or a query", async () => {
  const random = new Random(17);
  const failures: string[] = [];
  for (let number = 0; number < SAMPLE; number++) {
    const change = random.pick(changes);
    const by = random.pick(odd);
    const request = createRequest(change, by, random);
    const sent = `${request.method} ${request.url.slice(0, 200)} ${change.path.join(".")}=${JSON.stringify(by).slice(0, 60)}`;
    const response = await galley.handle(request);
    const text = await response.text();
    const isFine =
      response.status < 500 && (response.status < 400 || response.status === 405 || text.includes('"error"'));
    if (!isFine) failures.push(`${sent}: ${response.status} ${text.slice(0, 200)}`);
  }
  expect(failures).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((await galley.handle(new Request("http://localhost/content-manager/init", { headers: HEADERS }))).status).toBe(
    200,
  );
});

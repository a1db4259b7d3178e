#!/usr/bin/env bun
/**
 * Measures branches of `createGalley`, and looks for what leaks from one to another: random operations on eight branches at once, each
 * compared with what that branch should have.
 *
 *   bun scripts/branches.ts [--operations 100000] [--documents 100000] [--tests 1000] [--seed 1]
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createGalley, type Galley } from "../src/index.ts";
import { median } from "./bench/median.ts";

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "100000" },
    documents: { type: "string", default: "100000" },
    tests: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
const STARTER = join(import.meta.dir, "../data/starter");
/** For SQL. */
const TIME = "'2026-01-01T00:00:00.000Z'";
// users stay signed in for a month
const MINUTE_MS = 60_000;
const BRANCHES = 8;
const TESTS = Number(values.tests);
/** Of attempts in a minute. More than there can be. */
const RATE_LIMIT = 1_000_000;
/** They fit on a page. */
const MOST_TAGS = 80;
const MOST_FILES = 6;
/** Their passwords are hashed. */
const MOST_USERS = 3;
/** As `bun test` runs concurrent tests. */
const AT_ONCE = 20;

/** Milliseconds of making a branch, and of closing it. */
async function timesOf(galley: Galley, count: number): Promise<string> {
  const [made, closed]: [number[], number[]] = [[], []];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    const branch = await galley.branch();
    const ready = performance.now();
    await branch.close();
    made.push(ready - start);
    closed.push(performance.now() - ready);
  }
  return `made in ${median(made).toFixed(2)} ms, closed in ${median(closed).toFixed(2)} ms`;
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;

async function measure(galley: Galley): Promise<void> {
  await timesOf(galley, 20);
  console.log(`a branch of the starter: ${await timesOf(galley, 100)}`);
  const start = performance.now();
  let [peak, next] = [0, 0];
  const runner = async (): Promise<void> => {
    while (next < TESTS) {
      const name = `own tag ${next++}`;
      await using branch = await galley.branch();
      await branch.make("tag", { name });
      const response = await branch.as("full-access").fetch("/api/tags?filters[name][$startsWith]=own tag");
      const { data } = (await response.json()) as { data: unknown[] };
      if (data.length !== 1) throw new Error(`${data.length} tags instead of 1`);
      peak = Math.max(peak, process.memoryUsage.rss());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`${TESTS} tests, ${AT_ONCE} at once: ${seconds} s, ${megabytes(peak)} at most`);
}

/** What a branch should have. */
interface Model {
  galley: Galley;
  names: Map<string, string>;
  /** Of its clock, in milliseconds since 1970. */
  time: number;
  /** The URLs of uploaded files, by their text, which is in no other branch unless it was copied. */
  files: Map<string, string>;
  /** Users who are signed in: the header, by their names. */
  users: Map<string, string>;
  /** That were counted since the clock was moved, which ends a minute. */
  attempts: number;
}

const random = (() => {
  let state = Number(Bun.hash.xxHash32(values.seed));
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
})();

const tagsOf = (galley: Galley) => galley.documents<{ name: string }>("api::tag.tag");

const post = (galley: Galley, path: string, body: object): Promise<Response> =>
  galley.fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** What is uploaded is of one branch: its files, and their records. */
async function checkFiles({ galley, files }: Model): Promise<void> {
  for (const [text, url] of files) {
    const response = await galley.fetch(url);
    if ((await response.text()) !== text) throw new Error(`${url} is not ${text}`);
  }
  const records = await galley.documents<{ name: string }>("plugin::upload.file").findMany({ limit: 1_000 });
  const own = records.map(({ name }) => name).filter((name) => name.startsWith("own "));
  if (!Bun.deepEquals(own.sort(), [...files.keys()].sort())) throw new Error(`A branch has the files ${own}`);
}

/** Who is signed in on a branch is who has signed up there. */
async function checkUsers({ galley, users }: Model): Promise<void> {
  for (const [name, authorization] of users) {
    const response = await galley.fetch("/api/users/me", { headers: { authorization } });
    const { username } = (await response.json()) as { username: string };
    if (username !== name) throw new Error(`${username} is signed in as ${name}`);
  }
  const all = await galley.documents<{ username: string }>("plugin::users-permissions.user").findMany({ limit: 1_000 });
  const actual = all.map(({ username }) => username).filter((name) => name.startsWith("user "));
  if (!Bun.deepEquals(actual.sort(), [...users.keys()].sort())) throw new Error(`A branch has the users ${actual}`);
}

/** Over GraphQL, whose prepared queries and caches are another way to the content. */
async function checkGraphql({ galley, names }: Model): Promise<void> {
  const query = "query Tags { tags(pagination: { pageSize: 100 }) { name } }";
  const response = await post(galley, "/graphql", { query });
  const { data } = (await response.json()) as { data: { tags: { name: string }[] } };
  const actual = data.tags.map(({ name }) => name).sort();
  if (!Bun.deepEquals(actual, [...names.values()].sort())) throw new Error(`GraphQL has ${actual}`);
}

/** A failure is of one branch, and ends there. */
async function failOnce({ galley }: Model): Promise<void> {
  await galley.fail({ path: "/api/tags", status: 503 });
  const { status } = await galley.fetch("/api/tags");
  await galley.recover();
  if (status !== 503) throw new Error(`A failure of a branch was answered with ${status}`);
}

/** What is counted of a client is counted on the branch that it asks. */
async function checkRateLimit(model: Model): Promise<void> {
  const response = await post(model.galley, "/api/auth/forgot-password", { email: "nobody@example.org" });
  const counted = RATE_LIMIT - Number(response.headers.get("x-ratelimit-remaining"));
  if (counted !== ++model.attempts) throw new Error(`A branch has counted ${counted} attempts of ${model.attempts}`);
}

/** Its search finds its documents. */
async function checkSearch({ galley, names }: Model): Promise<void> {
  const response = await galley.as("full-access").fetch("/api/tags?_q=changed&pagination[pageSize]=100");
  const { meta } = (await response.json()) as { meta: { pagination: { total: number } } };
  const expected = [...names.values()].filter((name) => name.includes("changed")).length;
  if (meta.pagination.total !== expected)
    throw new Error(`A search finds ${meta.pagination.total} of ${expected} tags`);
}

async function check({ galley, names }: Model): Promise<void> {
  const response = await galley
    .as("full-access")
    .fetch("/api/tags?fields=name&pagination[pageSize]=100&sort=documentId");
  const { data } = (await response.json()) as { data: { documentId: string; name: string }[] };
  const actual = data.map(({ documentId, name }) => `${documentId} ${name}`);
  const expected = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, name]) => `${id} ${name}`);
  if (!Bun.deepEquals(actual, expected)) throw new Error(`A branch has\n${actual}\ninstead of\n${expected}`);
}

const timeAfter = async (galley: Galley, span: number): Promise<number> => Date.parse(await galley.clock.advance(span));

const contentOf = async (galley: Galley): Promise<Map<string, string>> =>
  new Map((await tagsOf(galley).findMany({ limit: 1_000 })).map(({ documentId, name }) => [documentId, name]));

/** Operations on one branch. They are chosen before anything is awaited, so that a seed repeats them. */
const operations: readonly ((model: Model, number: number) => Promise<void>)[] = [
  async ({ galley, names }, number) => {
    if (names.size === MOST_TAGS) return;
    const { documentId, name } = await galley.make<{ name: string }>("tag", { name: `tag ${number}` });
    names.set(documentId, name);
  },
  async ({ galley, names }, number) => {
    const id = [...names.keys()][number % names.size];
    if (id === undefined) return;
    const name = `changed ${number}`;
    await tagsOf(galley).update({ documentId: id, data: { name } });
    names.set(id, name);
  },
  async ({ galley, names }, number) => {
    const id = [...names.keys()][number % names.size];
    if (id === undefined) return;
    await tagsOf(galley).delete({ documentId: id });
    names.delete(id);
  },
  async (model, number) => {
    const span = (1 + (number % 24)) * MINUTE_MS;
    const time = await timeAfter(model.galley, span);
    // each write takes a millisecond
    if (time < model.time + span || time > model.time + span + MINUTE_MS / 2)
      throw new Error(`The clock of a branch has gone from ${model.time} to ${time} instead of by ${span}`);
    model.time = time;
    model.attempts = 0;
  },
  async ({ galley, files }, number) => {
    if (files.size === MOST_FILES) return;
    const text = `own ${number}`;
    const form = new FormData();
    form.set("files", new File([text], text, { type: "text/plain" }));
    const response = await galley.as("full-access").fetch("/api/upload", { method: "POST", body: form });
    const [file] = (await response.json()) as { url: string }[];
    files.set(text, file!.url);
  },
  async ({ galley, users }, number) => {
    if (users.size === MOST_USERS) return;
    const username = `user ${number}`;
    const data = { username, email: `user.${number}@example.org`, password: "a long password" };
    const { jwt } = (await (await post(galley, "/api/auth/local/register", data)).json()) as { jwt: string };
    users.set(username, `Bearer ${jwt}`);
  },
  check,
  check,
  checkFiles,
  checkUsers,
  checkGraphql,
  checkRateLimit,
  checkSearch,
  failOnce,
];

async function interleave(galley: Galley, count: number): Promise<void> {
  const open = async (from: Galley, { files, users }: Pick<Model, "files" | "users">): Promise<Model> => {
    const branch = await from.branch();
    const [names, time] = [await contentOf(branch), await timeAfter(branch, 0)];
    return { galley: branch, names, time, files: new Map(files), users: new Map(users), attempts: 0 };
  };
  const nothing = { files: new Map(), users: new Map() };
  const models = await Promise.all(Array.from({ length: BRANCHES }, () => open(galley, nothing)));
  for (let done = 0; done < count; done += BRANCHES) {
    await Promise.all(
      models.map((model) => operations[random(operations.length)]!(model, done * 1_000 + random(1_000))),
    );
    if (random(50) > 0) continue;
    // one is closed, and another one branches
    const [gone, source] = [random(BRANCHES), random(BRANCHES)];
    const { galley: closed } = models[gone]!;
    models[gone] = await open(models[source]!.galley, models[source]!);
    await closed.close();
  }
  for (const model of models)
    for (const look of [check, checkFiles, checkUsers, checkGraphql, checkSearch]) await look(model);
  await Promise.all(models.map((model) => model.galley.close()));
  console.log(`${count} operations on ${BRANCHES} branches: none was seen on another one`);
}

async function measureMany(count: number): Promise<void> {
  await using galley = await createGalley({ project: STARTER, environment: {} });
  const database = galley.database();
  const columns = "document_id, status, name, slug, created_at, updated_at, published_at";
  database.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO tags (${columns}) SELECT printf('%024d', i), 'published', 'many ' || i, 'many-' || i, ${TIME}, ${TIME}, ${TIME} FROM n`);
  console.log(`a branch with ${count} more documents: ${await timesOf(galley, 9)}`);
}

/** The starter, where clients on this machine are counted, too. */
async function writeLimited(folder: string): Promise<void> {
  cpSync(STARTER, folder, { recursive: true });
  const file = Bun.file(join(folder, "config/galley.json"));
  await file.write(JSON.stringify({ ...(await file.json()), auth: { ratelimit: { enabled: true, max: RATE_LIMIT } } }));
}

const limited = mkdtempSync(join(tmpdir(), "galley-branches-"));
try {
  await using galley = await createGalley({ project: STARTER, environment: {}, seed: values.seed });
  await measure(galley);
  await measureMany(Number(values.documents));
  await writeLimited(limited);
  await using other = await createGalley({ project: limited, environment: {}, seed: values.seed });
  await interleave(other, Number(values.operations));
} finally {
  rmSync(limited, { recursive: true, force: true });
}

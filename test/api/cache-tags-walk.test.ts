/**
 * Random writes against answers that are kept with their tags: an answer that has changed has a stale tag, and few others do. The
 * longer form: `WRITES=10000 REQUESTS=500 bun test test/api/cache-tags-walk.test.ts`, which sends what is not stale less often.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lastSequence } from "../../src/engine/storage/change-log/change-log.ts";
import { staleSince } from "../../src/engine/storage/change-log/stale-tags.ts";
import { compactPart } from "../../src/engine/storage/change-log/upkeep.ts";
import { Clock } from "../../src/lib/clock.ts";
import { ARTICLE, AUTHOR, files, type LoggedApp, loggedAppOf, TAG } from "../engine/storage/change-log-app.ts";
import { operate, type World } from "../engine/storage/random-writes.ts";
import { configFile, TOKEN, typeFile } from "../project.ts";
import { Random } from "../random.ts";
import { BUILDER_KEY, NOTE, schemaEdits } from "./schema-edits.ts";

const SEED = Number(process.env.SEED ?? 31_415);
const WRITES = Number(process.env.WRITES ?? 200);
const REQUESTS = Number(process.env.REQUESTS ?? 60);
/** So many writes, on average, are made before requests are sent again. */
const EACH = Number(process.env.EACH ?? 2);
/** How many of those whose answers have no stale tag. What is not sent keeps its answer, which a later one is compared with. */
const SENT_ANYWAY = WRITES > 1_000 ? 0.25 : 1;
/** How often permissions change, and types: each makes many answers stale. */
const RARE = 0.0007;
/** An edit of a type, which makes all answers stale, says nothing about the ratio of a few writes; those have a test of their own. */
const EDITS = WRITES > 1_000 ? RARE : 0;
/** Answers with stale tags, for one that changed: of a few, between 1.1 and 1.25, as the requests happen to be. */
const MOST = WRITES > 1_000 ? 1.2 : 1.3;

let app: LoggedApp;
beforeAll(async () => {
  const { "src/index.js": _, ...others } = files;
  const locales = ["en", "fr"].map((code) => ({ code, isDefault: code === "en" }));
  const settings = {
    locales,
    roles: { public: [`${TAG}.find`, `${TAG}.findOne`] },
    cacheTags: { bytes: 65_000 },
    tokens: [
      { name: "full", type: "full-access", key: TOKEN },
      { name: "builder", type: "admin", key: BUILDER_KEY },
    ],
  };
  app = await loggedAppOf({ ...others, ...typeFile("note", { text: { type: "string" } }), ...configFile(settings) });
});
afterAll(() => app.close());

interface Sent {
  readonly path: string;
  readonly body?: string;
  readonly isPublic: boolean;
}

interface Kept extends Sent {
  text: string;
  tags: ReadonlySet<string> | undefined;
}

async function ask({ path, body, isPublic }: Sent): Promise<Pick<Kept, "text" | "tags">> {
  const headers = new Headers({ "content-type": "application/json" });
  if (!isPublic) headers.set("authorization", "Bearer test-full-access");
  const method = body === undefined ? "GET" : "POST";
  const response = await app.handle(
    new Request(`http://localhost${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  );
  const tags = response.headers.get("cache-tag")?.split(",");
  return { text: `${response.status} ${await response.text()}`, tags: tags && new Set(tags) };
}

const populates: Readonly<Record<string, readonly string[]>> = {
  articles: [
    ...["", "", "populate=*", "populate=author", "populate[author][populate]=articles", "populate=localizations"],
    ...["populate[tags][populate]=articles", "populate[block][populate]=*", "populate[parts][populate]=*"],
    ...["populate[cover][populate]=related", "populate[mixed][on][api::tag.tag]=true", "populate[tags][sort]=name"],
    ...["populate[block][populate][quotes][populate]=author", "populate[tags][filters][name][$contains]=1"],
  ],
  authors: ["", "populate=*", "populate[articles][populate]=tags", "populate=friends"],
  tags: ["", "populate=articles", "populate[articles][sort]=author.name", "populate[articles][filters][size][$gt]=4"],
  notes: ["", "populate=*"],
};

const filters: Readonly<Record<string, readonly ((world: World) => string)[]>> = {
  articles: [
    ({ random }) => `filters[title][$eq]=t${random.below(99)}`,
    ({ random }) => `filters[title][$contains]=${random.below(9)}`,
    ({ random }) => `filters[size][$eq]=${random.below(9)}`,
    ({ random }) => `filters[size][$in]=${random.below(9)},7`,
    ({ random }) => `filters[size][$lt]=${random.below(9)}`,
    ({ random, ids }) => `filters[author][documentId][$eq]=${random.pick(ids[AUTHOR]!)}`,
    ({ random }) => `filters[author][name][$eq]=n${random.below(99)}`,
    ({ random }) => `filters[tags][name][$contains]=${random.below(9)}`,
    () => "filters[author][name][$null]=true",
    ({ random }) =>
      `filters[${random.pick(["author", "tags", "cover"])}][id][${random.pick(["$null", "$notNull"])}]=true`,
    ({ random }) => `filters[${random.pick(["title", "size"])}][${random.pick(["$null", "$notNull"])}]=true`,
    ({ random }) => `filters[block][text][$eq]=b${random.below(9)}`,
    ({ random }) => `filters[block][quotes][author][name][$contains]=${random.below(9)}`,
    ({ random }) => `filters[$or][0][size]=${random.below(9)}&filters[$or][1][title]=t${random.below(99)}`,
    ({ random }) => `filters[$not][size]=${random.below(9)}`,
    ({ random }) => `filters[cover][name][$contains]=${random.pick(["x", "y"])}`,
    ({ random }) => `_q=${random.below(99)}`,
  ],
  authors: [
    ({ random }) => `filters[name][$eq]=n${random.below(99)}`,
    ({ random }) => `filters[articles][${random.pick(["id", "title"])}][$null]=true`,
    ({ random }) => `filters[articles][size][$eq]=${random.below(9)}`,
    ({ random, ids }) => `filters[friends][documentId]=${random.pick(ids[AUTHOR]!)}`,
  ],
  tags: [
    ({ random }) => `filters[name][$contains]=${random.below(9)}`,
    ({ random }) => `filters[articles][title][$eq]=t${random.below(99)}`,
  ],
};

const sorts: Readonly<Record<string, readonly string[]>> = {
  articles: ["title", "size:desc", "author.name", "tags.name", "createdAt:desc", "updatedAt:desc", "publishedAt:desc"],
  authors: ["name", "articles.title"],
  tags: ["name:desc", "articles.size"],
};
const uids: Readonly<Record<string, string>> = { articles: ARTICLE, authors: AUTHOR, tags: TAG, notes: NOTE };

function restRequest(world: World): Sent {
  const { random, ids } = world;
  const name = random.chance(0.02)
    ? "notes"
    : random.pick(["articles", "articles", "articles", "articles", "authors", "tags"]);
  const params = [random.pick(populates[name]!)];
  if (random.chance(0.2)) params.push("status=draft");
  const isOne = random.chance(0.45);
  if (name === "articles" && random.chance(0.4)) params.push(`locale=${random.pick(isOne ? ["fr"] : ["fr", "*"])}`);
  const isPublic = name === "tags" && random.chance(0.3);
  if (isOne) {
    const id = random.chance(0.05) ? "missing" : random.pick(ids[uids[name]!]!);
    return { path: `/api/${name}/${id}?${params.filter(Boolean).join("&")}`, isPublic };
  }
  const [filter, sort] = [random.pick(filters[name] ?? []), random.pick(sorts[name] ?? [])];
  if (filter && random.chance(0.3)) params.push(filter(world));
  if (sort && random.chance(0.35)) params.push(`sort=${sort}`);
  if (random.chance(0.2))
    params.push(`pagination[pageSize]=${1 + random.below(4)}&pagination[page]=${1 + random.below(2)}`);
  if (random.chance(0.1)) params.push("fields=updatedAt");
  return { path: `/api/${name}?${params.filter(Boolean).join("&")}`, isPublic };
}

const operations: readonly ((world: World) => string)[] = [
  () => '{ articles(sort: "title") { title author { name } tags { name } } }',
  ({ random, ids }) =>
    `{ article(documentId: "${random.pick(ids[ARTICLE]!)}") { title block { text quotes { author { name } } } } }`,
  () => "{ authors_connection(pagination: { pageSize: 3 }) { nodes { name articles { title } } pageInfo { total } } }",
  ({ random }) =>
    `{ tags(filters: { articles: { size: { eq: ${random.below(9)} } } }) { name articles_connection { nodes { title } } } }`,
];

function createRequest(world: World): Sent {
  const { random } = world;
  if (random.chance(0.03)) return { path: random.pick(["/api/upload/files", "/api/i18n/locales"]), isPublic: false };
  if (random.chance(0.1)) {
    const query = random.pick(operations)(world);
    return { path: "/graphql", body: JSON.stringify({ query }), isPublic: false };
  }
  return restRequest(world);
}

/** What a role may read; rare, since it makes every answer stale. */
async function changeAccess({ random }: World): Promise<string> {
  const { body } = await app.call("GET", "/api/users-permissions/roles");
  const { id, name, description } = (body.roles as Record<string, unknown>[]).find(({ type }) => type === "public")!;
  const enabled = random.chance(0.7);
  const permissions = { "api::tag": { controllers: { tag: { find: { enabled }, findOne: { enabled: true } } } } };
  await app.call("PUT", `/api/users-permissions/roles/${id}`, { name, description, permissions });
  return "access";
}

const everything = { mayList: () => true, isNamed: () => true, status: undefined };
const BOUNDS = { entries: 20_000, tags: Number.POSITIVE_INFINITY };

async function createWorld(seed: number): Promise<World> {
  const world: World = { app, random: new Random(seed), ids: {}, files: [] };
  // the connection of the server notices the log
  expect((await app.call("GET", "/galley/changes")).status).toBe(200);
  const { documentId } = await app.documents(NOTE).create({ data: { text: "x" } });
  world.ids[NOTE] = [documentId as string];
  for (let i = 0; i < 60; i++) await operate(world);
  return world;
}

/** Answers without tags are kept by nobody. */
async function keepOne(world: World): Promise<Kept> {
  for (;;) {
    const sent = createRequest(world);
    const answer = await ask(sent);
    if (answer.tags) return { ...sent, ...answer };
  }
}

async function keepSome(world: World, count: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  while (kept.length < count) kept.push(await keepOne(world));
  return kept;
}

const DOCUMENT = /\b[a-z0-9]{24}\b/g;

/** Whether a document is gone that a request names: nothing can change its answer any more. */
function isOver({ ids }: World, { path, body = "" }: Sent): boolean {
  const known = new Set(Object.values(ids).flat());
  return (path + body).match(DOCUMENT)?.some((id) => !known.has(id)) ?? false;
}

interface Counts {
  changed: number;
  stale: number;
}

/** Asks again, and keeps what is stale; throws if an answer has changed without that. */
async function check(kept: readonly Kept[], since: number, done: string, isSent = () => true): Promise<Counts> {
  const stale = staleSince(app.storage, since, everything, BOUNDS);
  const counts = { changed: 0, stale: 0 };
  // some are the same request
  const answers = new Map<string, Awaited<ReturnType<typeof ask>>>();
  for (const answer of kept) {
    const isStale = stale.some((tag) => answer.tags?.has(tag));
    if (!isStale && answer.tags && !isSent()) continue;
    const key = `${answer.isPublic} ${answer.path} ${answer.body}`;
    const now = answers.get(key) ?? (await ask(answer));
    answers.set(key, now);
    if (answer.tags === undefined) {
      Object.assign(answer, now);
      continue;
    }
    const isChanged = now.text !== answer.text;
    if (isChanged) counts.changed++;
    if (isStale) counts.stale++;
    if (isChanged && !isStale)
      throw new Error(
        `${done}:\n${answer.path} ${answer.body ?? ""}\n${answer.text}\n${now.text}\n${[...answer.tags]}\n${stale}`,
      );
    if (process.env.SHOW && isStale && !isChanged)
      console.log(`${done}: ${answer.path} ${stale.filter((tag) => answer.tags?.has(tag))}`);
    if (isStale) Object.assign(answer, now);
  }
  return counts;
}

test(
  `${WRITES} writes, ${REQUESTS} answers (seed ${SEED})`,
  async () => {
    const world = await createWorld(SEED);
    const { random } = world;
    const edits = (await schemaEdits(app)).values().toArray();
    const kept = await keepSome(world, REQUESTS);
    const counts: Counts = { changed: 0, stale: 0 };
    let since = lastSequence(app.storage);
    let done: string[] = [];
    let edited = 0;
    for (let write = 1; write <= WRITES; write++) {
      const kind = random.next();
      if (kind < EDITS) {
        const [name, edit] = edits[edited++ % edits.length]!;
        await edit();
        done.push(name);
      } else done.push(await (kind < EDITS + RARE ? changeAccess(world) : operate(world)));
      // an answer may also be of a state in between
      if (random.chance(0.1)) {
        const one = random.pick(kept);
        Object.assign(one, await ask(one));
      }
      if (random.chance(0.05)) compactPart(app.storage, new Clock());
      if (random.chance(1 - 1 / EACH)) continue;
      const { changed, stale } = await check(kept, since, done.join("; "), () => random.chance(SENT_ANYWAY));
      counts.changed += changed;
      counts.stale += stale;
      since = lastSequence(app.storage);
      done = [];
      for (const [index, one] of kept.entries()) if (isOver(world, one)) kept[index] = await keepOne(world);
      if (process.env.WRITES && write % 100 < EACH) console.log(`${write}: ${counts.changed} ${counts.stale}`);
    }
    await check(kept, since, done.join("; "));
    for (; edited % edits.length !== 0; edited++) await edits[edited % edits.length]![1]();
    const ratio = counts.stale / counts.changed;
    console.log(
      `${counts.changed} answers changed, ${counts.stale} had stale tags: ${ratio.toFixed(3)} times as many, ${edited} edits of types`,
    );
    expect(counts.changed).toBeGreaterThan(WRITES);
    expect(ratio).toBeLessThan(MOST);
  },
  Math.max(600_000, 10 * WRITES * REQUESTS),
);

test("edits of types", async () => {
  const world = await createWorld(SEED + 1);
  const notes: Sent[] = [
    { path: "/api/notes?populate=*", isPublic: false },
    { path: "/graphql", body: JSON.stringify({ query: "{ notes { text } }" }), isPublic: false },
  ];
  const kept = await keepSome(world, 60);
  for (const sent of notes) kept.push({ ...sent, ...(await ask(sent)) });
  let changed = 0;
  for (const [name, edit] of await schemaEdits(app)) {
    const since = lastSequence(app.storage);
    await edit();
    changed += (await check(kept, since, name)).changed;
  }
  expect(changed).toBeGreaterThan(10);
}, 60_000);

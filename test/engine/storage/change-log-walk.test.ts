/** Random writes: every version of a document whose complete read has changed is logged, and few others are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApiError } from "../../../src/lib/errors.ts";
import { Random } from "../../random.ts";
import { ARTICLE, AUTHOR, LOCALES, type LoggedApp, loggedApp, TAG } from "./change-log-app.ts";

const SEED = 2_718_281;
/** More: `STEPS=20000 bun test test/engine/storage/change-log-walk.test.ts`. */
const STEPS = Number(process.env.STEPS ?? 300);

let app: LoggedApp;
beforeAll(async () => {
  app = await loggedApp();
});
afterAll(() => app.close());

const block = { populate: { tags: true, image: true, quotes: { populate: { author: true } } } };
const populate: Readonly<Record<string, object>> = {
  [ARTICLE]: {
    ...{ author: true, tags: true, cover: true, mixed: { on: { [AUTHOR]: true, [TAG]: true } }, block },
    parts: { on: { "part.block": block, "part.quote": { populate: { author: true } } } },
  },
  [AUTHOR]: { articles: true, friends: true, mentions: true },
  [TAG]: { articles: true },
};

/** Other documents are shown by their id, since their values are theirs. */
function strip(value: unknown, isTop = true): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, isTop));
  if (typeof value !== "object" || value === null) return value;
  const { documentId, locale, publishedAt } = value as Record<string, unknown>;
  if (!isTop && documentId !== undefined) return { documentId, locale, publishedAt: publishedAt !== null };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strip(inner, false)]));
}

/** Each version, as text. */
async function readAll(): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  // authors have no drafts, but show those of articles
  const add = (key: string, found: unknown): unknown =>
    versions.set(key, (versions.get(key) ?? "") + JSON.stringify(strip(found)));
  for (const uid of Object.keys(populate)) {
    for (const status of ["draft", "published"] as const) {
      for (const locale of uid === ARTICLE ? LOCALES : [undefined]) {
        const where = locale === undefined ? {} : { locale };
        for (const found of await app.documents(uid).findMany({ status, ...where, populate: populate[uid] as never }))
          add(`${uid} ${found.documentId} ${locale ?? "-"} ${uid === AUTHOR ? "published" : status}`, found);
      }
    }
  }
  return versions;
}

interface World {
  readonly random: Random;
  readonly ids: Record<string, string[]>;
  files: number[];
}

const some = ({ random, ids }: World, uid: string): string[] => (ids[uid] ?? []).filter(() => random.chance(0.4));

function links(world: World, uid: string): unknown {
  const one = world.random.pick(world.ids[uid] ?? []) ?? null;
  return world.random.pick<unknown>([
    some(world, uid),
    { connect: some(world, uid) },
    { disconnect: some(world, uid) },
    one === null ? [] : { connect: [{ documentId: one, position: { start: true } }] },
  ]);
}

const quote = (world: World) => ({
  text: `q${world.random.below(9)}`,
  author: world.random.pick([null, ...(world.ids[AUTHOR] ?? [])]),
});
const blockOf = (world: World) => ({
  ...{ text: `b${world.random.below(9)}`, tags: some(world, TAG), image: world.random.pick([null, ...world.files]) },
  quotes: Array.from({ length: world.random.below(3) }, () => quote(world)),
});

function articleData(world: World): Record<string, unknown> {
  const { random } = world;
  const all: Record<string, () => unknown> = {
    title: () => `t${random.below(99)}`,
    size: () => random.below(9),
    author: () => random.pick([null, ...(world.ids[AUTHOR] ?? [])]),
    tags: () => links(world, TAG),
    mixed: () =>
      [
        ...some(world, AUTHOR).map((documentId) => [AUTHOR, documentId]),
        ...some(world, TAG).map((id) => [TAG, id]),
      ].map(([__type, documentId]) => ({ __type, documentId })),
    cover: () => random.pick([null, ...world.files]),
    block: () => random.pick([null, blockOf(world)]),
    parts: () =>
      Array.from({ length: random.below(3) }, () =>
        random.chance(0.5)
          ? { __component: "part.block", ...blockOf(world) }
          : { __component: "part.quote", ...quote(world) },
      ),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, make]) => (random.chance(0.35) ? [[name, make()]] : [])),
  );
}

const dataOf: Readonly<Record<string, (world: World) => Record<string, unknown>>> = {
  [ARTICLE]: articleData,
  [AUTHOR]: (world) => ({
    name: `n${world.random.below(99)}`,
    ...(world.random.chance(0.4) && { articles: links(world, ARTICLE) }),
    ...(world.random.chance(0.4) && { friends: links(world, AUTHOR) }),
  }),
  [TAG]: (world) => ({
    name: `n${world.random.below(99)}`,
    ...(world.random.chance(0.4) && { articles: links(world, ARTICLE) }),
  }),
};

/** An upload that becomes the value of a field. */
async function upload(world: World): Promise<string> {
  const [row] = app.storage.all("SELECT id FROM articles ORDER BY random() LIMIT 1");
  const form = new FormData();
  form.append("files", new File(["x"], "x.txt"));
  if (row)
    for (const [key, value] of Object.entries({ ref: ARTICLE, refId: String(row[0]), field: "cover" }))
      form.append(key, value);
  const headers = { authorization: "Bearer test-full-access" };
  const response = await app.handle(
    new Request("http://localhost/api/upload", { method: "POST", headers, body: form }),
  );
  expect(response.status).toBe(201);
  const [file] = (await response.json()) as { id: number }[];
  world.files.push(file!.id);
  return "upload";
}

async function deleteFile(world: World): Promise<string> {
  const id = world.random.pick(world.files);
  if (id === undefined) return "no file";
  world.files = world.files.filter((other) => other !== id);
  expect((await app.call("DELETE", `/api/upload/files/${id}`)).status).toBe(200);
  return "delete a file";
}

/** Own code writes a component's row alone, or a link alone. */
async function writeSql({ random }: World): Promise<string> {
  const knex = app.strapi.db.connection;
  const table = random.pick(["components_part_quote", "components_part_block"]);
  await knex(table)
    .update({ text: `k${random.below(99)}` })
    .where({ id: random.below(30) });
  if (random.chance(0.3))
    await knex("articles_tags_lnk")
      .where({ article_id: random.below(40) })
      .del();
  return `sql ${table}`;
}

async function operate(world: World): Promise<string> {
  const { random, ids } = world;
  const special = random.below(12);
  if (special === 0) return upload(world);
  if (special === 1 && random.chance(0.4)) return deleteFile(world);
  if (special === 2) return writeSql(world);
  const uid = random.pick([ARTICLE, ARTICLE, ARTICLE, AUTHOR, TAG]);
  const known = ids[uid] ?? [];
  const documentId = random.pick(known);
  const where = uid === ARTICLE ? { locale: random.pick(LOCALES) } : {};
  const status = random.pick(["draft", "draft", "published"] as const);
  const service = app.documents(uid);
  if (documentId === undefined || (known.length < 6 && random.chance(0.4))) {
    const document = await service.create({ data: dataOf[uid]!(world), status, ...where });
    ids[uid] = [...known, document.documentId as string];
    return `create ${uid}`;
  }
  const action = random.pick([
    ...["update", "update", "update", "delete", "clone"],
    ...(uid === AUTHOR ? [] : ["publish", "publish", "unpublish", "discardDraft"]),
  ]);
  if (action === "update") await service.update({ documentId, data: dataOf[uid]!(world), status, ...where });
  else if (action === "clone") {
    const { documentId: cloned } = await service.clone({ documentId, data: {} });
    if (cloned !== undefined) ids[uid] = [...known, cloned];
  } else if (action !== "delete") await service[action as "publish"]({ documentId, ...where });
  else if (random.chance(0.5)) {
    await service.delete({ documentId, ...where });
    const isLeft = (await service.count({ filters: { documentId }, ...(uid === ARTICLE && { locale: "*" }) })) > 0;
    if (!isLeft) ids[uid] = known.filter((id) => id !== documentId);
  }
  return `${action} ${uid} ${documentId} ${JSON.stringify(where)} ${status}`;
}

const refused = (error: unknown): string => {
  if (error instanceof ApiError) return "refused";
  throw error;
};

test(`${STEPS} writes (seed ${SEED})`, async () => {
  const world: World = { random: new Random(SEED), ids: {}, files: [] };
  let before = await readAll();
  const counts = { changed: 0, logged: 0, refused: 0 };
  for (let step = 0; step < STEPS; step++) {
    let done = "";
    const entries = await app.changedBy(async () => {
      done = await operate(world).catch(refused);
    });
    const logged = new Map(entries.map((entry) => [entry.slice(0, entry.lastIndexOf(" ")), entry]));
    const after = await readAll();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key),
    );
    const missed = changed.filter((key) => !logged.has(key));
    if (missed.length > 0)
      throw new Error(
        `step ${step}, ${done}: ${missed.map((key) => `${key}\n${before.get(key)}\n${after.get(key)}`).join("\n")}`,
      );
    for (const key of changed) {
      const kind = logged.get(key)!.split(" ").at(-1)!;
      if (after.has(key)) expect(["delete", "unpublish"]).not.toContain(kind);
      else expect(["delete", "unpublish"]).toContain(kind);
      if (!before.has(key)) expect(["create", "publish"]).toContain(kind);
    }
    counts.changed += changed.length;
    counts.logged += [...logged.keys()].filter((key) => key.startsWith("api::")).length;
    if (done === "refused") {
      counts.refused++;
      expect(entries).toEqual([]);
    }
    before = after;
  }
  if (process.env.STEPS) console.log(counts);
  expect(counts.changed).toBeGreaterThan(STEPS);
  expect(counts.refused).toBeLessThan(STEPS / 5);
  expect(counts.logged / counts.changed).toBeLessThan(1.3);
}, 300_000);

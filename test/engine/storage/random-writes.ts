/** Random writes of documents, by every way: the API, uploads, and SQL of another program. */
import { expect } from "bun:test";
import { ApiError } from "../../../src/lib/errors.ts";
import type { Random } from "../../random.ts";
import { ARTICLE, AUTHOR, LOCALES, type LoggedApp, TAG } from "./change-log-app.ts";

/** Of a type, and of files: beyond these, what makes more deletes instead, so that a long walk stays fast. */
const MAX_DOCUMENTS = 12;
const MAX_FILES = 20;

export interface World {
  readonly app: LoggedApp;
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
  const { app } = world;
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
  const { app } = world;
  const id = world.random.pick(world.files);
  if (id === undefined) return "no file";
  world.files = world.files.filter((other) => other !== id);
  expect((await app.call("DELETE", `/api/upload/files/${id}`)).status).toBe(200);
  return "delete a file";
}

/** Another program writes a component's row alone, or a link alone. */
function writeSql({ app: { storage }, random }: World): string {
  const table = random.pick(["components_part_quote", "components_part_block"]);
  storage.run(`UPDATE ${table} SET text = ? WHERE id = ?`, [`k${random.below(99)}`, random.below(30)]);
  const field = storage.number("articles.tags>tags");
  if (random.chance(0.3))
    storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [field, random.below(40)]);
  return `sql ${table}`;
}

/** One write, which a rule of the content may refuse. Returns what it was. */
export async function operate(world: World): Promise<string> {
  try {
    return await write(world);
  } catch (error) {
    if (error instanceof ApiError) return "refused";
    throw error;
  }
}

async function write(world: World): Promise<string> {
  const { app, random, ids } = world;
  const special = random.below(12);
  if (special === 0) return world.files.length < MAX_FILES ? upload(world) : deleteFile(world);
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
    ...["update", "update", "update", "delete", known.length < MAX_DOCUMENTS ? "clone" : "delete"],
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

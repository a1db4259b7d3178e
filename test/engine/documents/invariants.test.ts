/** Random sequences of relation, publication, locale and delete operations leave consistent content. */

import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Document } from "../../../src/engine/query/select.ts";
import { ApiError } from "../../../src/lib/errors.ts";
import { componentFile, type TestApp, testApp, typeFile } from "../../project.ts";
import { Random } from "../../random.ts";

const SEED = 3_141_592;
/** More: `SEQUENCES=20000 bun test test/engine/documents/invariants.test.ts`. */
const SEQUENCES = Number(process.env.SEQUENCES ?? 600);
const OPERATIONS = 8;
const LOCALES = ["en", "fr", "de"];

const relation = (kind: string, target: string, side: Record<string, string> = {}) => ({
  type: "relation",
  relation: kind,
  target: `api::${target}.${target}`,
  ...side,
});
const NODE = "api::node.node";
const PAGE = "api::page.page";
const NOTE = "api::note.note";
const GUIDE = "api::guide.guide";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    "config/galley.json": JSON.stringify({ locales: LOCALES.map((code) => ({ code, isDefault: code === "en" })) }),
    ...componentFile("part.row", {
      name: { type: "string" },
      page: relation("oneToOne", "page"),
      node: relation("oneToOne", "node"),
    }),
    ...typeFile("node", {
      name: { type: "string" },
      friends: relation("manyToMany", "node", { inversedBy: "friendOf" }),
      friendOf: relation("manyToMany", "node", { mappedBy: "friends" }),
      buddy: relation("oneToOne", "node", { inversedBy: "buddyOf" }),
      buddyOf: relation("oneToOne", "node", { mappedBy: "buddy" }),
      pages: relation("manyToMany", "page", { inversedBy: "nodes" }),
      rows: { type: "component", component: "part.row", repeatable: true },
    }),
    ...typeFile(
      "page",
      {
        name: { type: "string" },
        parent: relation("manyToOne", "page", { inversedBy: "children" }),
        children: relation("oneToMany", "page", { mappedBy: "parent" }),
        nodes: relation("manyToMany", "node", { mappedBy: "pages" }),
        peers: relation("manyToMany", "page"),
        rows: { type: "component", component: "part.row", repeatable: true },
      },
      { draftAndPublish: true },
    ),
    ...typeFile(
      "note",
      { text: { type: "string", pluginOptions: { i18n: { localized: true } } }, shared: { type: "integer" } },
      { localized: true },
    ),
    ...typeFile(
      "guide",
      {
        text: { type: "string", pluginOptions: { i18n: { localized: true } } },
        shared: { type: "integer" },
        next: relation("oneToOne", "guide"),
        page: relation("manyToOne", "page"),
      },
      { localized: true, draftAndPublish: true },
    ),
  });
});
afterAll(() => app.close());

interface World {
  readonly random: Random;
  readonly ids: Record<string, string[]>;
  /** A copy of the database to look into. */
  readonly look: () => Database;
}

const relations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [NODE]: { friends: NODE, friendOf: NODE, buddy: NODE, buddyOf: NODE, pages: PAGE },
  [PAGE]: { parent: PAGE, children: PAGE, nodes: NODE, peers: PAGE },
  [GUIDE]: { next: GUIDE, page: PAGE },
};

function some({ random, ids }: World, uid: string): string[] {
  const known = ids[uid] ?? [];
  return known.filter(() => random.chance(0.4));
}

function relationValue(world: World, target: string): unknown {
  const { random, ids } = world;
  const targets = some(world, target);
  const one = random.pick(ids[target] ?? []) ?? null;
  const position = random.pick([{ start: true }, { end: true }, {}]);
  return random.pick<unknown>([
    targets,
    one,
    { set: targets },
    { connect: targets },
    { connect: one === null ? [] : [{ documentId: one, position }] },
    { disconnect: targets },
    { connect: targets, disconnect: some(world, target) },
    null,
  ]);
}

function data(world: World, uid: string): Record<string, unknown> {
  const { random, ids } = world;
  const out: Record<string, unknown> =
    uid === NOTE || uid === GUIDE ? { text: `t${random.below(100)}` } : { name: `n${random.below(100)}` };
  if ((uid === NOTE || uid === GUIDE) && random.chance(0.4)) out.shared = random.below(5);
  for (const [name, target] of Object.entries(relations[uid] ?? {}))
    if (random.chance(0.35)) out[name] = relationValue(world, target);
  if ((uid === NODE || uid === PAGE) && random.chance(0.4)) {
    out.rows = Array.from({ length: random.below(3) }, () => ({
      name: "r",
      page: random.pick(ids[PAGE] ?? []) ?? null,
      node: random.pick(ids[NODE] ?? []) ?? null,
    }));
  }
  return out;
}

const isLocalized = (uid: string): boolean => uid === NOTE || uid === GUIDE;
const hasDrafts = (uid: string): boolean => uid === PAGE || uid === GUIDE;

/** Everything that is published of a document, without the row ids that a publication renews. */
const published = async (uid: string, documentId: string): Promise<unknown> =>
  strip(
    await app
      .documents(uid)
      .findMany({ status: "published", locale: "*", filters: { documentId }, populate: "*", sort: "locale" }),
  );

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "id" && key !== "localizations")
      .map(([key, inner]) => [key, strip(inner)]),
  );
}

/** A target that has no row in the locale that is written is refused; that must leave everything as it was. */
function refused(error: unknown): string {
  if (error instanceof ApiError) return "refused";
  throw error;
}

async function operate(world: World): Promise<string> {
  const { random, ids } = world;
  const uid = random.pick([NODE, NODE, PAGE, PAGE, PAGE, NOTE, GUIDE, GUIDE]);
  const known = ids[uid] ?? [];
  const documentId = random.pick(known);
  const locale = isLocalized(uid) ? random.pick(LOCALES) : undefined;
  const where = locale === undefined ? {} : { locale };
  const service = app.documents(uid);
  const status = random.pick(["draft", "published"] as const);
  if (documentId === undefined || (known.length < 5 && random.chance(0.4))) {
    const document = await service.create({ data: data(world, uid), status, ...where });
    ids[uid] = [...known, document.documentId as string];
    return `create ${uid}`;
  }
  const action = random.pick([
    "update",
    "update",
    "update",
    "update",
    "delete",
    ...(hasDrafts(uid) ? ["publish", "unpublish", "discardDraft"] : []),
  ]);
  if (action === "update") {
    const body = data(world, uid);
    const before = hasDrafts(uid) && status === "draft" ? await published(uid, documentId) : undefined;
    await service.update({ documentId, data: body, status, ...where });
    if (before !== undefined) expect(await published(uid, documentId)).toEqual(before);
    return `update ${uid} ${documentId} ${status} ${locale} ${JSON.stringify(body)}`;
  }
  if (action === "delete") {
    if (!random.chance(0.3)) return "nothing";
    await service.delete({ documentId, ...where });
    const left = await service.count({ locale: "*", filters: { documentId }, status: "draft" });
    if (left === 0) ids[uid] = known.filter((id) => id !== documentId);
    return `delete ${uid} ${documentId} ${locale}`;
  }
  await service[action as "publish"]({ documentId, ...where });
  return `${action} ${uid} ${documentId} ${locale}`;
}

const tableOf: Readonly<Record<string, string>> = {
  [NODE]: "nodes",
  [PAGE]: "pages",
  [NOTE]: "notes",
  [GUIDE]: "guides",
};

/** Two names of one relation, seen from its two ends. */
const twoSided = [
  [NODE, "friends", NODE, "friendOf"],
  [NODE, "buddy", NODE, "buddyOf"],
  [NODE, "pages", PAGE, "nodes"],
  [PAGE, "children", PAGE, "parent"],
] as const;

async function pairs(uid: string, name: string, status: "draft" | "published"): Promise<[string, string][]> {
  const documents = await app
    .documents(uid)
    .findMany({ status, populate: { [name]: { fields: ["documentId"] } }, fields: ["documentId"] });
  return documents.flatMap((document) => {
    const targets = [document[name] ?? []].flat() as Document[];
    return targets.map((target): [string, string] => [document.documentId as string, target.documentId as string]);
  });
}

async function checkSides(): Promise<void> {
  for (const status of ["draft", "published"] as const) {
    for (const [uid, name, other, otherName] of twoSided) {
      const there = (await pairs(uid, name, status)).map(String).sort();
      const back = (await pairs(other, otherName, status)).map(([a, b]) => String([b, a])).sort();
      expect(back).toEqual(there);
      expect(new Set(there).size).toBe(there.length);
    }
  }
}

/** Statements that find nothing in consistent content. */
function checkInvariants(db: Database): string[] {
  const found: string[] = [];
  const fields = db.query("SELECT id, name FROM galley_names WHERE name LIKE '%>%'").values() as [number, string][];
  for (const [id, name] of fields) {
    const owner = name.slice(0, name.indexOf("."));
    const target = name.slice(name.indexOf(">") + 1);
    if (target === "*" || owner.startsWith("up_") || owner.startsWith("strapi_") || owner === "files") continue;
    const links = `FROM galley_links WHERE field = ${id}`;
    found.push(`SELECT 1 ${links} AND owner NOT IN (SELECT id FROM "${owner}")`);
    found.push(`SELECT 1 ${links} AND target NOT IN (SELECT id FROM "${target}")`);
    found.push(`SELECT 1 ${links} GROUP BY owner, target HAVING count(*) > 1`);
    // no two entries of one version have the same position in a list
    const version = db.query(`SELECT 1 FROM pragma_table_info('${target}') WHERE name = 'status'`).values().length > 0;
    const joined = version
      ? `FROM galley_links l JOIN "${target}" t ON t.id = l.target WHERE l.field = ${id}`
      : `FROM galley_links l WHERE l.field = ${id}`;
    found.push(`SELECT 1 ${joined} GROUP BY l.owner, l.position${version ? ", t.status" : ""} HAVING count(*) > 1`);
  }
  // a component belongs to exactly one row
  const held =
    "SELECT l.target FROM galley_links l JOIN galley_names n ON n.id = l.field WHERE n.name LIKE '%>components_part_row'";
  found.push(`SELECT 1 FROM components_part_row WHERE id NOT IN (${held})`);
  found.push(`SELECT 1 FROM (${held}) GROUP BY target HAVING count(*) > 1`);
  for (const table of Object.values(tableOf))
    found.push(`SELECT 1 FROM "${table}" GROUP BY document_id, locale, status HAVING count(*) > 1`);
  found.push("SELECT 1 FROM notes GROUP BY document_id HAVING count(DISTINCT coalesce(shared, -1)) > 1");
  // one owner at most, in each version
  const parent = "SELECT id FROM galley_names WHERE name = 'pages.parent>pages'";
  found.push(`SELECT 1 FROM galley_links WHERE field = (${parent}) GROUP BY owner HAVING count(*) > 1`);
  const buddy = "SELECT id FROM galley_names WHERE name = 'nodes.buddy>nodes'";
  for (const end of ["owner", "target"])
    found.push(`SELECT 1 FROM galley_links WHERE field = (${buddy}) GROUP BY ${end} HAVING count(*) > 1`);
  return found;
}

/** All invariants in one statement, since they are checked after every operation. */
class Invariants {
  readonly #all: readonly string[];
  readonly #sql: string;

  constructor(db: Database) {
    this.#all = checkInvariants(db);
    this.#sql = this.#all.map((sql, index) => `SELECT ${index} WHERE EXISTS (${sql})`).join(" UNION ALL ");
  }

  /** Those that do not hold. */
  broken(db: Database): string[] {
    return (db.query(this.#sql).values() as [number][]).map(([index]) => this.#all[index] ?? "");
  }
}

test("detects a violated invariant", () => {
  const db = app.database() as Database;
  const invariants = new Invariants(db);
  expect(invariants.broken(db)).toEqual([]);
  db.run("SAVEPOINT broken");
  db.run("INSERT INTO components_part_row (name) VALUES ('of nobody')");
  expect(invariants.broken(db)).toEqual([expect.stringContaining("FROM components_part_row WHERE id NOT IN")]);
  db.run("ROLLBACK TO broken");
  db.run("RELEASE broken");
});

test(`${SEQUENCES} sequences (seed ${SEED})`, async () => {
  const invariants = new Invariants(app.database() as Database);
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    if (sequence % 40 === 0) await app.reset();
    const world: World = { random: new Random(SEED + sequence), ids: {}, look: () => app.database() as Database };
    const done: string[] = [];
    try {
      for (let step = 0; step < OPERATIONS; step++) {
        done.push(await operate(world).catch(refused));
        expect(invariants.broken(world.look())).toEqual([]);
      }
      await checkSides();
    } catch (error) {
      throw new Error(`sequence ${sequence}: ${done.join("; ")}`, { cause: error });
    }
  }
}, 300_000);

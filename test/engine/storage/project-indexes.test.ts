/** Indexes of a project, declared in schema files or created by its code, over changes of the schema. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../../src/lib/errors.ts";
import { startProject } from "../../../src/server/start.ts";
import { type Body, configFile, projectFolder, relation, typeFile, writeFiles } from "../../project.ts";

type Attributes = Parameters<typeof typeFile>[1];

const folders: (() => void)[] = [];
afterAll(() => {
  for (const remove of folders) remove();
});

const CREATE = `
  "CREATE INDEX IF NOT EXISTS own_title ON notes (title) WHERE title IS NOT NULL",
  "CREATE UNIQUE INDEX IF NOT EXISTS own_size ON notes (size)",
  "CREATE UNIQUE INDEX IF NOT EXISTS own_links ON notes_tags_lnk (note_id, tag_id)",
  "CREATE INDEX IF NOT EXISTS own_tag ON notes_tags_lnk (tag_id) WHERE tag_id > 0",
  "CREATE INDEX IF NOT EXISTS own_length ON components_part_legs (length)"`;

const attributes: Attributes = {
  title: { type: "string" },
  size: { type: "string" },
  tags: relation("manyToMany", "tag"),
  leg: { type: "component", component: "part.leg" },
};

/** Starts a project whose code creates indexes, or only keeps `strapi`; returns the changes of its tables. */
class Starts {
  readonly #folder = projectFolder(configFile());
  strapi: Body;

  constructor() {
    folders.push(this.#folder.remove);
  }

  async start(
    own: Attributes,
    {
      creates = false,
      indexes,
      collectionName,
    }: { creates?: boolean; indexes?: object[]; collectionName?: string } = {},
    work: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly string[]> {
    const { root } = this.#folder;
    rmSync(join(root, "src"), { recursive: true, force: true });
    const type = typeFile("note", own, collectionName === undefined ? {} : { collectionName });
    const [path, text = ""] = Object.entries(type)[0]!;
    writeFiles(root, {
      [path]: JSON.stringify({ ...JSON.parse(text), ...(indexes ? { indexes } : {}) }),
      ...typeFile("tag", { name: { type: "string" } }),
      "src/components/part/leg.json": JSON.stringify({
        collectionName: "components_part_legs",
        info: { displayName: "leg" },
        attributes: { length: { type: "integer" } },
      }),
      "src/index.js": `module.exports = { async bootstrap({ strapi }) {
        globalThis.indexedStrapi = strapi;
        for (const sql of [${creates ? CREATE : ""}]) await strapi.db.connection.raw(sql);
      } };`,
    });
    const { project } = await startProject(root, { memory: false, publicRead: false, environment: {} });
    this.strapi = (globalThis as unknown as { indexedStrapi: Body }).indexedStrapi;
    try {
      await work();
    } finally {
      await project.close();
    }
    return project.changes.map(({ table, text: change }) => `${table} ${change}`);
  }

  /** Names and tables of the indexes that begin with "own". */
  indexes(): string[] {
    const db = new Database(join(this.#folder.root, ".galley/content.db"), { readonly: true });
    const sql =
      "SELECT name || ' ' || tbl_name AS text FROM sqlite_schema WHERE type = 'index' AND name LIKE 'own%' ORDER BY 1";
    const found = db.query(sql).all() as { text: string }[];
    db.close();
    return found.map(({ text }) => text);
  }
}

const ALL = [
  "own_length components_part_legs",
  "own_links galley_links",
  "own_size notes",
  "own_tag galley_links",
  "own_title notes",
];

test("indexes of the code survive new and removed attributes, other types of attributes, and another name of the table", async () => {
  const starts = new Starts();
  await starts.start(attributes, { creates: true });
  expect(starts.indexes()).toEqual(ALL);
  await starts.start({ ...attributes, added: { type: "string" } });
  expect(starts.indexes()).toEqual(ALL);
  await starts.start({ ...attributes, title: { type: "text" }, size: { type: "integer" } });
  expect(starts.indexes()).toEqual(ALL);
  const { size: _, ...less } = attributes;
  await starts.start(less);
  expect(starts.indexes()).toEqual(ALL);
  await starts.start(less, { collectionName: "memos" });
  expect(starts.indexes()).toEqual(ALL.map((text) => text.replace("notes", "memos")));
});

test("a unique index that converted values violate is named by the start", async () => {
  const starts = new Starts();
  await starts.start(attributes, { creates: true }, async () => {
    for (const size of ["1", "1.0"]) await starts.strapi.documents("api::note.note").create({ data: { size } });
  });
  const changes = await starts.start({ ...attributes, size: { type: "integer" } });
  expect(changes.join()).toContain("the index own_size is gone: UNIQUE constraint failed: notes.size");
  expect(starts.indexes()).not.toContain("own_size notes");
});

test("a unique index of links refuses nothing that documents write", async () => {
  const starts = new Starts();
  await starts.start(attributes, { creates: true }, async () => {
    const { strapi } = starts;
    const tags = await Promise.all(
      ["a", "b"].map((name) => strapi.documents("api::tag.tag").create({ data: { name } })),
    );
    const ids = tags.map(({ documentId }: Body) => documentId);
    const note = await strapi.documents("api::note.note").create({ data: { tags: ids } });
    const { documentId } = note;
    for (const list of [ids.toReversed(), [], ids])
      await strapi.documents("api::note.note").update({ documentId, data: { tags: list } });
    const read = await strapi.documents("api::note.note").findOne({ documentId, populate: ["tags"] });
    expect(read.tags.map(({ name }: Body) => name)).toEqual(["a", "b"]);
  });
});

test("declared indexes are created, followed and dropped", async () => {
  const starts = new Starts();
  const indexes = [
    { name: "own_declared", columns: ["title"] },
    { name: "own_unique", columns: ["size", "document_id"], type: "unique" },
    { name: "own_left_out", columns: ["tags_id"] },
  ];
  await starts.start(attributes, { indexes });
  expect(starts.indexes()).toEqual(["own_declared notes", "own_unique notes"]);
  await starts.start({ ...attributes, title: { type: "text" } }, { indexes: indexes.slice(1) });
  expect(starts.indexes()).toEqual(["own_unique notes"]);
  await starts.start(attributes);
  expect(starts.indexes()).toEqual([]);
});

test("a declared unique index that the content violates is refused", async () => {
  const starts = new Starts();
  await starts.start(attributes, {}, async () => {
    for (const _ of [1, 2]) await starts.strapi.documents("api::note.note").create({ data: { size: "1" } });
  });
  const indexes = [{ name: "own_unique", columns: ["size"], type: "unique" }];
  const refused = starts.start(attributes, { indexes }).catch((error: unknown) => error);
  expect(await refused).toBeInstanceOf(ProjectError);
  expect(String(await refused)).toContain('"own_unique": UNIQUE constraint failed: notes.size');
});

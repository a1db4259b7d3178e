/** Links of morphToMany, and the attributes of their targets that show them, on every way that content takes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberRenames } from "../../src/engine/storage/attribute-renames.ts";
import { createLayout, type Layout } from "../../src/engine/storage/layout.ts";
import { migrate } from "../../src/engine/storage/migrate.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { exportFolder } from "../../src/server/content-sync/export-folder.ts";
import { openProject } from "../../src/server/project/project.ts";
import { startProject } from "../../src/server/start.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { exportArchive } from "../../src/transfer/export/export-archive.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";
import { importArchive } from "../../src/transfer/import/import-archive.ts";
import { FULL } from "../project.ts";
import { metadata, writeArchive } from "./tar.ts";

const PROJECT = join(import.meta.dir, "../conformance/project-morph");
const options = { memory: false, publicRead: true, environment: {} };
const folder = mkdtempSync(join(tmpdir(), "galley-polymorphic-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newProject(name: string): string {
  const root = join(folder, name);
  cpSync(PROJECT, root, { recursive: true });
  return root;
}

const BOX = "api::box.box";
const APPLE = "api::apple.apple";

/** What both ends show, by the names of the entries. */
async function shown(galley: Galley): Promise<unknown> {
  const lists = ["boxes", "apples", "pears"].map(async (plural) => {
    const answer = await galley.fetch(`/api/${plural}?populate=*&sort=documentId`, { headers: FULL });
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
    return data.map((row) =>
      Object.fromEntries(
        Object.entries(row).flatMap(([key, value]) =>
          value && typeof value === "object"
            ? [[key, [value].flat().map((item) => (item as { name: string }).name)]]
            : [],
        ),
      ),
    );
  });
  return Promise.all(lists);
}

const showing = async (root: string): Promise<unknown> => {
  await using galley = await createGalley({ project: root, memory: false });
  return await shown(galley);
};

let source: string;
let expected: unknown;
beforeAll(async () => {
  source = newProject("source");
  await using galley = await createGalley({ project: source, memory: false });
  const call = async (method: string, path: string, data: object): Promise<void> => {
    const headers = { ...FULL, "content-type": "application/json" };
    const answer = await galley.fetch(path, { method, headers, body: JSON.stringify({ data }) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  for (const name of ["a1", "a2", "a3"]) await call("POST", "/api/apples", { name });
  await call("POST", "/api/pears", { name: "p1" });
  const link = (__type: string, id: number) => ({ id, __type });
  await call("POST", "/api/boxes", { name: "b1", items: [link(APPLE, 1), link("api::pear.pear", 1), link(APPLE, 2)] });
  for (const name of ["b2", "b3"]) await call("POST", "/api/boxes", { name });
  const documentId = async (plural: string, id: number): Promise<string> => {
    const answer = await galley.fetch(`/api/${plural}?filters[id]=${id}`, { headers: FULL });
    return ((await answer.json()) as { data: { documentId: string }[] }).data[0]!.documentId;
  };
  const box = `/api/boxes/${await documentId("boxes", 3)}`;
  await call("PUT", box, { items: [link(APPLE, 2), link(APPLE, 3)] });
  const [first, second] = [await documentId("apples", 1), await documentId("apples", 2)];
  // one target twice in a list, in different places of both
  await call("PUT", `/api/apples/${first}`, { boxes: { set: [link(BOX, 3), link(BOX, 1)] } });
  await call("PUT", `/api/apples/${first}`, { others: { set: [link(BOX, 2), link(BOX, 1)] } });
  await call("PUT", `/api/apples/${second}`, { boxes: { connect: [link(BOX, 2), link(BOX, 1)] } });
  await call("PUT", `/api/pears/${await documentId("pears", 1)}`, { box: { set: [link(BOX, 2)] }, top: 1 });
  expected = await shown(galley);
  expect(expected).toEqual([
    expect.arrayContaining([
      { items: ["a1", "p1", "a1", "a1", "a2", "a2"], top: ["p1"] },
      { items: ["a1", "p1", "a2"] },
      { items: ["a2", "a1", "a3"] },
    ]),
    expect.arrayContaining([
      { boxes: ["b3", "b1"], others: ["b2", "b1"], items: [], tops: [], crates: [] },
      { boxes: ["b2", "b1"], others: [], items: ["b3"], tops: [], crates: [] },
      { boxes: [], others: [], items: ["b3"], tops: [], crates: [] },
    ]),
    [{ box: ["b2"], top: ["b1"] }],
  ]);
});

test("an archive has them, and brings them back", async () => {
  const file = join(folder, "mixed.tar");
  const from = openProject(source, options);
  const { context, schema, settings, uploads } = from;
  await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file });
  await from.close();
  const root = newProject("archive");
  const to = openProject(root, options);
  const { links } = await importArchive({ file }, await surveyArchive({ file }), to, { mode: "replace" });
  expect(links).toBeGreaterThan(11);
  await to.close();
  expect(await showing(root)).toEqual(expected);
});

/** A write has each link of a list once, as the document service does. */
const once = (value: unknown): unknown => {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string"))
    return Array.isArray(value)
      ? value.map(once)
      : Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, once(item)]));
  return [...new Set(value)].sort();
};

test("content files have them once on the side that owns them, and bring them back", async () => {
  const root = newProject("files");
  mkdirSync(join(root, "content"));
  const from = openProject(source, options);
  const { context, uploads } = from;
  await exportFolder({ context, uploadFolder: uploads.path }, join(root, "content"));
  await from.close();
  const { project } = await startProject(root, options);
  await project.close();
  const [boxes] = (await showing(root)) as unknown[];
  expect(once(boxes)).toEqual(once((expected as unknown[])[0]));
});

test("a renamed attribute keeps its links", async () => {
  const root = newProject("renamed");
  cpSync(join(source, ".galley"), join(root, ".galley"), { recursive: true });
  const project = openProject(root, options);
  const { storage, model } = project.context;
  rememberRenames(storage, [{ table: "apples", targetAttribute: ["boxes", "cartons"] }]);
  const before: Layout = createLayout(model);
  migrate(storage, { ...before, apples: { ...before.apples!, columns: {} } }, "en");
  await project.close();
  const path = "src/api/apple/content-types/apple/schema.json";
  const schema = readFileSync(join(root, path), "utf8").replace('"boxes": {', '"cartons": {');
  await Bun.write(join(root, path), schema);
  const [, apples] = (await showing(root)) as [unknown, { cartons: string[] }[]];
  expect(apples.map(({ cartons }) => cartons).sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))).toEqual([
    ["b2", "b1"],
    ["b3", "b1"],
    [],
  ]);
});

test("the same link twice, at a position that has no next one", async () => {
  const rows = (stage: string, ...values: object[]) => ({
    name: `${stage}/${stage}_00001.jsonl`,
    content: values.map((value) => JSON.stringify(value)).join("\n"),
  });
  const right = { type: APPLE, ref: 1, field: "boxes", pos: 1e308 };
  const again = { kind: "relation.morph", relation: "morphToMany", left: { type: BOX, ref: 1, field: "items" }, right };
  const project = openProject(newProject("twice"), options);
  const file = await writeArchive(join(folder, "twice.tar"), [
    metadata,
    rows("schemas", ...schemaRows(project.schema, project.model)),
    rows("entities", { type: BOX, id: 1, data: {} }, { type: APPLE, id: 1, data: {} }),
    rows("links", again, again),
  ]);
  const { links } = await importArchive({ file }, await surveyArchive({ file }), project, { mode: "replace" });
  expect(links).toBe(1);
  await project.close();
});

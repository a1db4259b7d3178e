/** Documents that a test has changed, since its start or a snapshot. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, projectFolder, relation, typeFile } from "../project.ts";

const localized = { pluginOptions: { i18n: { localized: true } } };
const { root, remove } = projectFolder({
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile(
    "post",
    { title: { type: "string", ...localized }, tags: relation("manyToMany", "tag") },
    { draftAndPublish: true, localized: true },
  ),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
});

let galley: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: root, seed: 1, now: "2030-01-01", environment: {} });
});
afterAll(async () => {
  await galley.close();
  remove();
});

const posts = (of: Galley) => of.documents<{ title: string }>("api::post.post");
const short = async (of: Galley, ...since: Parameters<Galley["changes"]>): Promise<string[]> =>
  (await of.changes(...since)).map(
    ({ type, status, kind, locale }) => `${type.split(".")[1]} ${locale} ${status} ${kind}`,
  );

test("are each version that was written, with what became of it", async () => {
  await using branch = await galley.branch();
  expect(await branch.changes()).toEqual([]);
  const { documentId } = await posts(branch).create({ data: { title: "a" } });
  expect(await branch.changes()).toEqual([
    { type: "api::post.post", documentId, locale: "en", status: "draft", kind: "create" },
  ]);
  await posts(branch).publish({ documentId });
  await posts(branch).update({ documentId, locale: "fr", data: { title: "b" } });
  expect(await short(branch)).toEqual(["post en draft create", "post en published publish", "post fr draft create"]);
  const published = await branch.snapshot();
  await posts(branch).publish({ documentId });
  expect(await short(branch, published)).toEqual(["post en published publish"]);
  await posts(branch).unpublish({ documentId });
  await posts(branch).delete({ documentId, locale: "fr" });
  await branch.make("tag", { name: "x" });
  const changes = await short(branch, published);
  expect(changes.sort()).toEqual(["post en published unpublish", "post fr draft delete", "tag null published create"]);
  const made = await branch.snapshot();
  expect(await branch.changes(made)).toEqual([]);
  await posts(branch).delete({ documentId });
  expect(await short(branch, made)).toEqual(["post en draft delete"]);
  // what came and went in between has not changed
  expect(await short(branch)).toEqual(["tag null published create"]);
  await branch.reset();
  expect(await branch.changes()).toEqual([]);
});

test("are those of the branch alone, and users, but not what only a relation of others shows", async () => {
  await using branch = await galley.branch();
  const { documentId } = await branch.documents("api::tag.tag").create({ data: { name: "a" } });
  await using inner = await branch.branch();
  await inner.documents("api::tag.tag").update({ documentId, data: { name: "b" } });
  await inner.as("authenticated").authorization();
  expect((await short(inner)).sort()).toEqual(["tag null published update", "user null published create"]);
  expect(await short(branch)).toEqual(["tag null published create"]);
  const before = await inner.snapshot();
  await posts(inner).create({ data: { title: "a", tags: [documentId] } });
  expect(await short(inner, before)).toEqual(["post en draft create"]);
  await expect(branch.changes(before)).rejects.toThrow("The snapshot is of another project");
  expect(await galley.changes()).toEqual([]);
});

test("are found by what is stored, also if the clock is set back to the same time", async () => {
  await using branch = await galley.branch();
  await branch.clock.set("2030-01-01");
  const { documentId } = await branch.documents("api::tag.tag").create({ data: { name: "a" } });
  const before = await branch.snapshot();
  await branch.clock.set("2030-01-01");
  const { updatedAt } = (await branch.documents("api::tag.tag").update({ documentId, data: { name: "b" } })) as {
    updatedAt?: string;
  };
  expect(updatedAt).toBe("2030-01-01T00:00:00.000Z");
  expect(await short(branch, before)).toEqual(["tag null published update"]);
});

test("are found among many documents", async () => {
  await using branch = await galley.branch();
  branch.database().run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    INSERT INTO tags (document_id, status, name, created_at, updated_at, published_at)
    SELECT printf('%024d', i), 'published', 'many ' || i, '2030', '2030', '2030' FROM n`);
  await using inner = await branch.branch();
  const ids = [1, 5_000, 5_001, 10_000, 11_999].map((number) => String(number).padStart(24, "0"));
  const tags = inner.documents("api::tag.tag");
  for (const documentId of ids) await tags.update({ documentId, data: { name: "changed" } });
  await tags.delete({ documentId: "2".padStart(24, "0") });
  await inner.make("tag");
  const changes = await inner.changes();
  expect(changes.filter(({ kind }) => kind === "update").map(({ documentId }) => documentId)).toEqual(ids);
  expect(changes.map(({ kind }): string => kind).sort()).toEqual(["create", "delete", ...ids.map(() => "update")]);
});

test("need a database in memory", async () => {
  const folder = projectFolder({ ...typeFile("tag", { name: { type: "string" } }), ...configFile() });
  await using stored = await createGalley({ project: folder.root, memory: false, environment: {} });
  await expect(stored.changes()).rejects.toThrow("Only a database in memory");
  await stored.close();
  folder.remove();
});

/** Documents as REST answers them become rows and links of an archive. */
import { afterAll, expect, test } from "bun:test";
import { readModel } from "../../src/server/project/project-source.ts";
import { RestRows } from "../../src/transfer/remote/rest/rows.ts";
import { componentFile, projectFolder, typeFile } from "../project.ts";

const { root, remove } = projectFolder({
  ...typeFile("tag", { name: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("note", { any: { type: "relation", relation: "morphToMany" } }),
  ...typeFile("page", { sections: { type: "dynamiczone", components: ["a.part"] } }),
  ...componentFile("a.part", { name: { type: "string" } }),
});
afterAll(remove);

test("a relation to several types leads to the version that was answered, whatever status was asked for", () => {
  const { model } = readModel(root, {});
  const links: unknown[] = [];
  const rows = new RestRows(model, "en", { link: (row) => links.push(row), order: () => {}, file: () => {} });
  const tag = { __type: "api::tag.tag", documentId: "t" };
  const row = {
    id: 1,
    documentId: "n",
    any: [
      { ...tag, id: 2, publishedAt: "2026-01-01T00:00:00.000Z" },
      { ...tag, id: 1, publishedAt: null },
    ],
  };
  const type = model.types.get("api::note.note")!;
  // rows without drafts are read again with status=draft
  for (const status of ["published", "draft"] as const)
    rows.entity({ type, status, locale: null }, row, status === "draft");
  const found = links.map((link) => (link as { right: { status: string; pos: number } }).right);
  expect(found.map(({ status, pos }) => [status, pos])).toEqual([
    ["published", 1],
    ["draft", 2],
  ]);
});

test("what the project does not have reaches the import, which counts it", () => {
  const { model } = readModel(root, {});
  const rows = new RestRows(model, "en", { link: () => {}, order: () => {}, file: () => {} });
  const sections = [
    { __component: "a.part", id: 1, name: "known", more: 1 },
    { __component: "a.other", id: 2, name: "unknown" },
  ];
  const row = { id: 1, documentId: "p", extra: "unknown", sections };
  const type = model.types.get("api::page.page")!;
  const { data } = rows.entity({ type, status: "published", locale: null }, row);
  expect(data).toMatchObject({ extra: "unknown", sections: [sections[0]!, { __component: "a.other", id: 2 }] });
});

test("rows without a document id are refused with the reason, such as those of Strapi 4", () => {
  const { model } = readModel(root, {});
  const rows = new RestRows(model, "en", { link: () => {}, order: () => {}, file: () => {} });
  const type = model.types.get("api::note.note")!;
  const read = (row: object) => () => rows.entity({ type, status: "published", locale: null }, { ...row });
  expect(read({ id: 1, attributes: { createdAt: "2023-01-01T00:00:00.000Z" } })).toThrow(
    "is a Strapi 4: its content is copied with a transfer token",
  );
  expect(read({ id: 7, documentId: null })).toThrow("sent a row of api::note.note without a document id: 7");
  expect(read({ title: "x" })).toThrow("sent no row of api::note.note");
});

/** Rows are mapped to equal objects by the generic and by the compiled mapper. */
import { expect, test } from "bun:test";
import { createSelection } from "../../../src/engine/query/select.ts";
import type { ScalarAttribute, Schema } from "../../../src/engine/schema/model.ts";
import { createGalley } from "../../../src/index.ts";
import { projectFolder, typeFile } from "../../project.ts";

const NAMES = ["title", 'with "quotes"', "año", "constructor", "line\u2028end", "`back`", "__proto__"];

const field = (name: string, index: number): ScalarAttribute =>
  ({
    name,
    column: name,
    type: { column: {}, ...(index % 2 ? { load: (stored: unknown) => [stored] } : {}) },
  }) as never;

test.each([NAMES, NAMES.slice(0, -1)])(
  "the first rows and the thousandth are mapped to equal objects: %p",
  (...names) => {
    const { mapRow } = createSelection({ modelType: "component" } as Schema, names.map(field));
    const row = [7, ...names.map((_, index) => (index % 3 ? `text ${index}` : index))];
    const first = mapRow([0, ...row], 1);
    expect(Object.entries(first.document).slice(0, 2)).toEqual([
      ["id", 7],
      ["title", 0],
    ]);
    for (let count = 0; count < 1_000; count++) {
      const next = mapRow([0, ...row], 1);
      expect(Object.entries(next.document)).toEqual(Object.entries(first.document));
      expect(next.characters).toBe(first.characters);
    }
  },
);

test("returns equal documents from the generic and the compiled mapper", async () => {
  const { root, remove } = projectFolder(
    typeFile("note", {
      title: { type: "string" },
      on: { type: "boolean" },
      at: { type: "datetime" },
      any: { type: "json" },
    }),
  );
  const galley = await createGalley({ project: root, publicRead: true });
  const notes = galley.documents("api::note.note");
  for (let count = 0; count < 100; count++) {
    await notes.create({
      data: { title: `note ${count}`, on: true, at: "2026-11-22T10:00:00.000Z", any: { a: [count] } },
    });
  }
  const read = async (): Promise<string> => (await galley.fetch("/api/notes?sort=title&pagination[limit]=100")).text();
  const before = await read();
  for (let count = 0; count < 8; count++) await galley.fetch(`/api/notes?pagination[limit]=${90 + count}`);
  expect(await read()).toBe(before);
  await galley.close();
  remove();
});

/** A bulk edit in which the project's own code fails: the other documents are changed, and the response says which. */
import { expect, spyOn, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, projectFolder, typeFile } from "../project.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const KEY = "a key for tests of failing edits";
const BOOK = "api::book.book";
const folder = projectFolder({
  ...typeFile("book", { title: { type: "string" }, pages: { type: "integer" } }),
  "src/api/book/content-types/book/lifecycles.js": `module.exports = {
    beforeUpdate({ params }) {
      if (params.data.pages === 13 && params.where.id === 2) throw new TypeError("a defect");
    },
  };`,
});

let galley: Galley;
let ask: Ask;
openSignedIn(folder, KEY, (opened) => {
  ({ galley, ask } = opened);
});

test("a failure in the middle does not end the edit, and is reported without details", async () => {
  const documents: { documentId: string; updatedAt: string }[] = [];
  for (const title of ["one", "two", "three"]) {
    const { documentId, updatedAt } = await galley.documents(BOOK).create({ data: { title, pages: 1 } as never });
    documents.push({ documentId: documentId as string, updatedAt: String(updatedAt) });
  }
  const log = spyOn(console, "error").mockImplementation(() => {});
  const edit = { uid: BOOK, change: "set", attribute: "pages", value: 13, documents };
  const { status, body } = await ask("POST", "/edits", edit);
  const logged = log.mock.calls.flat().join("\n");
  log.mockRestore();
  expect(status).toBe(200);
  expect(body.data.changed.map(({ documentId }: Body) => documentId)).toEqual([
    documents[0]!.documentId,
    documents[2]!.documentId,
  ]);
  const reasons = ["The server failed to save it; its log says why"];
  expect(body.data.refused).toEqual([{ documentId: documents[1]!.documentId, name: "two", reasons }]);
  expect(logged).toContain("a defect");
  const rows = await galley.documents(BOOK).findMany({ sort: "id" });
  expect(rows.map(({ pages }) => pages)).toEqual([13, 1, 13]);
  const undone = await ask("POST", "/edits/undo", { uid: BOOK, attribute: "pages", documents: body.data.changed });
  expect(undone.body.data.refused).toEqual([]);
});

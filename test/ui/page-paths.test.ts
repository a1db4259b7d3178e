import { afterAll, expect, test } from "bun:test";

afterAll(() => void Reflect.deleteProperty(globalThis, "document"));

test("the server's paths are those of the page where own code has given it a document, as for jsdom", async () => {
  Object.assign(globalThis, { document: {} });
  // a module of its own
  const own = "../../src/ui/page-paths.ts?with-document";
  const { PAGE_BASE, splitPath } = (await import(own)) as typeof import("../../src/ui/page-paths.ts");
  expect(PAGE_BASE).toBe("/admin");
  expect(splitPath("/admin/content/api::note.note")).toEqual(["content", "api::note.note"]);
});

/** What a response depends on, as far as requests do not show it. */
import { afterAll, expect, test } from "bun:test";
import { dependOnDocuments } from "../../../src/engine/query/dependencies.ts";
import { emptyQuery } from "../../../src/engine/query/tree.ts";
import { Tags } from "../../../src/lib/cache-tags.ts";
import { readModel } from "../../../src/server/project/project-source.ts";
import { projectFolder, typeFile } from "../../project.ts";

const { root, remove } = projectFolder(typeFile("article", { title: { type: "string" } }));
afterAll(remove);

test("documents are named as they were read, whatever is made of them before the tags are written", () => {
  const type = readModel(root, {}).model.types.get("api::article.article")!;
  const tags = new Tags("all");
  const document: { documentId?: string } = { documentId: "as-it-was-read" };
  dependOnDocuments(tags, emptyQuery(type), [document], "all", "published");
  delete document.documentId;
  expect(tags.write()).toBe("all,article:as-it-was-read");
});

/** `documents.strictRelations` of `config/api`: required relations and media are checked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { componentFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    "config/api.js": "module.exports = { documents: { strictRelations: true } };",
    ...typeFile("tag", { name: { type: "string" } }),
    ...typeFile("note", {
      tag: { ...relation("oneToOne", "tag"), required: true },
      cover: { type: "component", component: "block.cover" },
    }),
    ...componentFile("block.cover", { image: { type: "media", required: true } }),
  });
});
afterAll(() => app.close());

test("messages name the attribute, without the component that it belongs to", async () => {
  const { status, body } = await app.call("POST", "/api/notes", { data: { cover: {} } });
  const problems = body.error.details.errors.map(({ path, message }: { path: string[]; message: string }) => [
    path.join("."),
    message,
  ]);
  expect([status, problems.sort()]).toEqual([
    400,
    [
      ["cover.image", "image must be defined."],
      ["tag", "tag must be defined."],
    ],
  ]);
});

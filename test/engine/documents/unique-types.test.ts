/** `unique` on attributes of types for which Strapi does not check it. */
import { expect, test } from "bun:test";
import { testApp, typeFile } from "../../project.ts";

const types: readonly (readonly [definition: Record<string, unknown>, value: unknown, status: number])[] = [
  [{ type: "enumeration", enum: ["a", "b"] }, "a", 201],
  [{ type: "boolean" }, true, 201],
  [{ type: "json" }, { a: 1 }, 201],
  [{ type: "string" }, "a", 400],
  [{ type: "integer" }, 1, 400],
  [{ type: "date" }, "2026-01-02", 400],
];
for (const [definition, value, status] of types) {
  test(`a second ${definition.type} is answered with ${status}`, async () => {
    const app = await testApp(typeFile("note", { value: { ...definition, unique: true } }, { draftAndPublish: false }));
    const create = async () => (await app.call("POST", "/api/notes", { data: { value } })).status;
    expect([await create(), await create()]).toEqual([201, status]);
    await app.close();
  });
}

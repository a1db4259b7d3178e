/** `unique` on attributes of types for which Strapi does not check it, and in lists. */
import { expect, test } from "bun:test";
import { componentFile, testApp, typeFile } from "../../project.ts";

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

test("values are compared with those of other entries of a list, but not with those of lists within them", async () => {
  const inside = (component: string, repeatable: boolean) => ({ type: "component", component, repeatable });
  const app = await testApp({
    ...typeFile("order", { lines: inside("parts.line", true) }),
    ...componentFile("parts.line", { code: inside("parts.code", false), codes: inside("parts.code", true) }),
    ...componentFile("parts.code", { value: { type: "string", unique: true } }),
  });
  const create = async (...lines: object[]) => (await app.call("POST", "/api/orders", { data: { lines } })).status;
  const same = { value: "same" };
  expect(await create({ code: same }, { code: same })).toBe(400);
  expect(await create({ codes: [same, same] }, { codes: [same] })).toBe(201);
  // of another document
  expect(await create({ codes: [same] })).toBe(400);
  await app.close();
});

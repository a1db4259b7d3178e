/** Answers are small, however large the project: parts, with a way to read on, or a refusal that says what to ask for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
import { type Agent, createAgent } from "./agent.ts";

const MOST = 20_000;
const names = Array.from({ length: 100 }, (_, index) => `thing${index}`);
const uidOf = (name: string): string => `api::${name}.${name}`;
const fields = Array.from({ length: 30 }, (_, index) => `field${index}`);
const attributes = Object.fromEntries(fields.map((name, i) => [name, { type: i % 3 === 0 ? "richtext" : "string" }]));
const uid = uidOf("thing1");
const full = { kind: "token", name: "full" };

let agent: Agent;
beforeAll(async () => {
  agent = await createAgent(Object.assign({}, ...names.map((name) => typeFile(name, attributes))));
  const long = Object.fromEntries(
    fields.map((name, i) => [name, i % 3 === 0 ? '"\n'.repeat(10_000) : "x".repeat(250)]),
  );
  for (let index = 0; index < 13; index++) await agent.use("content_create", { uid, documents: [long, long] });
}, 120_000);
afterAll(() => agent.close());

const typeTool = (tool: string, args: Record<string, unknown> = {}) =>
  agent.use("type_tool", { tool, arguments: args });
const sizeOf = (value: unknown): number => JSON.stringify(value).length;
const added = (name: string) => ({ uid: uidOf(name), attributes: { added: { type: "text" } } });

const calls: Readonly<Record<string, readonly [string, Record<string, unknown>]>> = {
  "all content-types": ["model_show", {}],
  "fifty content-types": ["model_show", { uids: names.slice(0, 50).map(uidOf) }],
  "twenty long attributes of 25 documents": ["content_find", { uid, fields: fields.slice(0, 20) }],
  "a part of a long text": ["content_text", { uid, documentId: "", field: "field0" }],
  "TypeScript of ten types": ["types", { uids: names.slice(0, 10).map(uidOf) }],
  "OpenAPI of ten types": ["types", { uids: names.slice(0, 10).map(uidOf), format: "openapi" }],
  "a GraphQL schema": ["types", { uids: [uid], format: "graphql" }],
  "a list of a role": ["query_as", { as: full, url: "/api/thing1s?pagination[pageSize]=100" }],
  "the code of a request": ["request", { uid, as: full }],
  "a plan of fifty changes": ["model_plan", { types: names.slice(0, 50).map(added) }],
  "a plan that removes fifty types": ["model_plan", { remove: names.slice(0, 50).map(uidOf) }],
  "a preview of a replacement": ["content_replace", { uid, field: "field0", find: "x", replace: "y", apply: false }],
  "a permission": ["access_grant", { role: "public", add: names.map((name) => `${uidOf(name)}.find`), apply: false }],
  sessions: ["session_list", {}],
};
test.each(Object.entries(calls))(
  "%s",
  async (_name, [tool, args]) => {
    const [{ documentId }] = (await agent.use("content_find", { uid, fields: ["field1"] })).documents;
    const answer = await agent.use(tool, "documentId" in args ? { ...args, documentId } : args);
    expect(sizeOf(answer)).toBeGreaterThan(50);
    expect(sizeOf(answer)).toBeLessThanOrEqual(MOST);
  },
  60_000,
);

test("parts are read on, and are the whole", async () => {
  const parts: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { text, next, length } = await agent.use("types", { uids: [uid], format: "graphql", from });
    parts.push(text);
    from = next;
    if (next === undefined) expect(parts.join("")).toHaveLength(length);
  }
  expect(parts.length).toBeGreaterThan(1);
  const found: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { parts: shown, next } = await agent.use("model_show", { from });
    found.push(...shown.map((part: { uid: string }) => part.uid));
    from = next;
  }
  expect(found).toEqual([...new Set(found)]);
  expect(found.filter((name) => name.startsWith("api::thing"))).toHaveLength(names.length);
}, 60_000);

test("tools of many types are one tool, which shows what each takes", async () => {
  const { tools } = await agent.client.listTools();
  expect(sizeOf(tools)).toBeLessThan(60_000);
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["type_tool", "media_list_assets", "model_show"]));
  expect(names).not.toContain("list_thing1");
  const shown = await agent.use("type_tool", { tool: "update_thing2" });
  expect(shown.arguments.properties).toHaveProperty("documentId");
  expect(sizeOf(shown)).toBeLessThanOrEqual(MOST);
  await expect(typeTool("update_thing2", { documentId: 7 })).rejects.toThrow("expected string");
  await expect(typeTool("list_thing2", { limit: 3 })).rejects.toThrow('Unrecognized key: "limit"');
  for (const name of ["toString", "session_undo", "media_delete_assets"])
    await expect(typeTool(name)).rejects.toThrow("There is no tool");
});

test("what it writes belongs to a session, and is undone", async () => {
  await agent.use("session_begin", { name: "one tool" });
  const { data } = await typeTool("create_thing2", { data: { field1: "a" } });
  await typeTool("update_thing2", { documentId: data.documentId, data: { field1: "b" } });
  expect(await typeTool("get_thing2", { documentId: data.documentId })).toMatchObject({ data: { field1: "b" } });
  expect((await agent.use("session_list")).sessions.at(-1).changes).toEqual(["create_thing2", "update_thing2"]);
  await agent.use("session_undo");
  expect(await typeTool("list_thing2")).toMatchObject({ results: [] });
}, 60_000);

test("documents that are written back are whole, or refused with what to ask for", async () => {
  await expect(typeTool("list_thing1")).rejects.toThrow("content_find lists documents with the fields that are named");
  const [{ documentId }] = (await agent.use("content_find", { uid, fields: ["field1"] })).documents;
  const written = await typeTool("update_thing1", { documentId, data: { field1: "short" } });
  expect(written.data).toMatchObject({ documentId });
  expect(sizeOf(written)).toBeLessThan(MOST);
  await expect(typeTool("get_thing1", { documentId })).rejects.toThrow("content_text reads long texts");
});

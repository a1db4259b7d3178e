/** The client of the official SDK, unmodified, over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createGalley, type Galley } from "../../../src/index.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";

const KEY = "test-admin-token";
const tokens = [
  { name: "admin", type: "admin", key: KEY },
  { name: "full", type: "full-access", key: "test-full-access" },
];

const OWN_CODE = `
const { ai } = require("@strapi/strapi");
const { z } = require("@strapi/utils");
const text = (value) => ({ content: [{ type: "text", text: value }] });
module.exports = {
  register({ strapi }) {
    const { mcp } = strapi.ai;
    mcp.registerTool(ai.mcp.defineTool({
      name: "count_notes",
      title: "Count",
      description: "Counts notes",
      auth: { policies: [{ action: "plugin::content-manager.explorer.read" }] },
      resolveInputSchema: () => z.object({ text: z.string().max(globalThis.mcpMaxLength ?? 100) }),
      resolveOutputSchema: () => z.object({ count: z.number() }),
      createHandler: (strapi, { user, userAbility }) => async ({ args }) => {
        if (args.text === "fail") throw new Error("no notes for " + user.id + userAbility.can("x"));
        const count = await strapi.documents("api::note.note").count({ filters: { text: args.text } });
        return { ...text(String(count)), structuredContent: { count } };
      },
    }));
    mcp.registerTool({ name: "broken", title: "Broken", description: "", devModeOnly: true,
      resolveOutputSchema: () => { throw new Error("no schema"); }, createHandler: () => async () => text("never") });
    mcp.registerPrompt({ name: "hello", title: "Hello", description: "Says hello", devModeOnly: true,
      createHandler: () => async () => ({ messages: [{ role: "user", content: { type: "text", text: "Hello" } }] }) });
    mcp.registerResource({ name: "about", uri: "galley://about", metadata: { mimeType: "text/plain" }, devModeOnly: true,
      createHandler: () => async (uri) => ({ contents: [{ uri: uri.href, text: "About" }] }) });
    const add = (name, createHandler) => mcp.registerTool({ name, title: name, description: "", devModeOnly: true,
      resolveOutputSchema: () => undefined, createHandler });
    add("show_call", () => async ({ extra, ...rest }) => text(JSON.stringify({ ...rest, keys: Object.keys(extra),
      id: extra.requestId, meta: extra._meta, url: extra.requestInfo.url.pathname, agent: "authorization" in extra.requestInfo.headers })));
    add("no_handler", () => { throw new Error("no handler"); });
    add("no_content", () => async () => ({ structuredContent: {} }));
    add("other_block", () => async () => ({ content: [{ type: "toString", text: "x" }] }));
    add("more", () => async () => ({ content: [{ type: "resource", other: 1, resource: { uri: "galley://x", text: "x", other: 1 } }], other: 1 }));
    mcp.registerTool({ name: "without_output", title: "", description: "", devModeOnly: true, createHandler: () => async () => text("x") });
    mcp.registerPrompt({ name: "no_prompt", title: "", description: "", devModeOnly: true,
      createHandler: () => { throw new Error("no handler"); } });
    globalThis.mcpRefusals = [
      () => mcp.registerTool({ name: "count_notes", devModeOnly: true }),
      () => mcp.registerTool({ name: "log", devModeOnly: true }),
      () => mcp.registerTool({ name: "free" }),
    ].map((register) => { try { register(); } catch (error) { return error.message; } });
  },
};
`;

const folder = projectFolder({
  ...typeFile("note", { text: { type: "string", required: true } }),
  ...typeFile("post", { title: { type: "string" } }, { draftAndPublish: true }),
  ...configFile({ tokens }),
  "config/server.json": JSON.stringify({ mcp: { enabled: true } }),
  "src/index.js": OWN_CODE,
});
let galley: Galley;
let client: Client;

async function connect(key: string): Promise<Client> {
  const connected = new Client({ name: "test", version: "1.0.0" });
  const headers = { authorization: `Bearer ${key}` };
  const url = new URL(`${galley.serve()}/mcp`);
  await connected.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return connected;
}

beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: {} });
  client = await connect(KEY);
});
afterAll(async () => {
  await client.close();
  await galley.close();
  folder.remove();
});

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

test("it writes and reads documents", async () => {
  const created = await call("create_note", { data: { text: "a" } });
  expect(created.structuredContent).toMatchObject({ data: { text: "a", createdBy: { firstname: "Admin" } } });
  const listed = await call("list_note", { filters: { text: "a" } });
  expect(listed.structuredContent).toMatchObject({ pagination: { total: 1 } });
});

test("each change of a document is a version of its history", async () => {
  const created = await call("create_post", { data: { title: "a" } });
  const { documentId } = (created.structuredContent as { data: { documentId: string } }).data;
  for (const name of ["publish_post", "unpublish_post"])
    expect((await call(name, { documentId })).isError).toBe(undefined);
  const states = galley.database().query("SELECT status FROM galley_history WHERE document_id = ? ORDER BY id");
  expect(states.values(documentId)).toEqual([["draft"], ["published"], ["draft"]]);
});

test("it uses tools, prompts and resources of own code", async () => {
  expect((await call("count_notes", { text: "a" })).structuredContent).toEqual({ count: 1 });
  expect(await client.getPrompt({ name: "hello" })).toMatchObject({ messages: [{ content: { text: "Hello" } }] });
  expect(await client.readResource({ uri: "galley://about" })).toMatchObject({ contents: [{ text: "About" }] });
});

test("the schemas of own code are those of each request", async () => {
  const scope = globalThis as { mcpMaxLength?: number };
  scope.mcpMaxLength = 3;
  expect(await call("count_notes", { text: "long" })).toMatchObject({ isError: true });
  delete scope.mcpMaxLength;
  expect((await call("count_notes", { text: "long" })).structuredContent).toEqual({ count: 0 });
});

test("errors of own code are results", async () => {
  const failed = await call("count_notes", { text: "fail" });
  expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no notes for 1true") }] });
});

test("handlers of own code are called as Strapi calls them, and what they return is sent as far as Strapi knows it", async () => {
  const told = (result: Awaited<ReturnType<typeof call>>): string => (result.content as { text: string }[])[0]!.text;
  const keys = ["signal", "requestId", "sessionId", "authInfo", "_meta", "requestInfo"];
  const shown = await client.callTool({ name: "show_call", _meta: { progressToken: 7 } });
  expect(JSON.parse(told(shown))).toMatchObject({ keys, meta: { progressToken: 7 }, url: "/mcp", agent: true });
  expect(told(await call("no_handler"))).toBe('Tool "no_handler" failed to initialize: no handler');
  expect((await call("no_content")).isError).toBe(true);
  const unknown = '[MCP] Unsupported content block: {"type":"toString","text":"x"}';
  expect(await call("other_block")).toMatchObject({ isError: true, content: [{ text: unknown }] });
  const block = { type: "resource", resource: { uri: "galley://x", text: "x" } };
  expect(await call("more")).toEqual({ content: [block] } as never);
  const text = 'Prompt "no_prompt" failed to initialize: no handler';
  expect(await client.getPrompt({ name: "no_prompt" })).toMatchObject({ messages: [{ content: { text } }] });
});

test("a tool of own code whose schema fails is left out, and the others are listed", async () => {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of ["broken", "without_output"]) expect(names).not.toContain(name);
  expect(names.slice(0, 2)).toEqual(["log", "media_list_assets"]);
  expect(names.slice(11, 13)).toEqual(["count_notes", "show_call"]);
});

test("names that are taken, and tools for nobody, are refused in Strapi's words", () => {
  const prefix = "[MCP] tool with name";
  expect((globalThis as { mcpRefusals?: string[] }).mcpRefusals).toEqual([
    `${prefix} "count_notes" is already registered. Names must be unique.`,
    `${prefix} "log" is already registered. Names must be unique.`,
    `${prefix} "free" must declare auth policies or be devModeOnly.`,
  ]);
});

test("a line of the log cannot be forged", async () => {
  const { structuredContent } = await call("log", { message: "a\nerror: b\u001b[31m", level: "warn" });
  expect(structuredContent).toMatchObject({ status: "logged", message: "aerror: b", level: "warn" });
});

for (const key of ["test-full-access", "nonsense"])
  test(`the token ${key} is refused`, () => expect(connect(key)).rejects.toThrow());

test("the endpoint is off by default", async () => {
  const { root, remove } = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    ...configFile({ tokens }),
  });
  const off = await createGalley({ project: root, admin: true, environment: {} });
  const init = { method: "POST", headers: { authorization: `Bearer ${KEY}` } };
  expect((await off.handle(new Request("http://localhost/mcp", init))).status).toBe(405);
  expect((await off.handle(new Request("http://localhost/register", init))).headers.get("content-type")).toContain(
    "text",
  );
  await off.close();
  remove();
});

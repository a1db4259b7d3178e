/** An agent: the SDK's client, connected to a server of a project with notes. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createGalley, type Galley } from "../../../src/index.ts";
import { type Body, configFile, projectFolder, typeFile } from "../../project.ts";

export const KEY = "test-admin-token";
const tokens = [
  { name: "admin", type: "admin", key: KEY },
  { name: "full", type: "full-access", key: "test-full-access" },
];

export const files = () => ({
  ...typeFile("note", { text: { type: "string" }, count: { type: "integer" } }, { localized: true }),
  ...configFile({ tokens, roles: { public: [] }, locales: [{ code: "en", isDefault: true }, { code: "de" }] }),
});

export interface Agent {
  readonly galley: Galley;
  readonly root: string;
  readonly client: Client;
  readonly close: () => Promise<void>;
  /** The result of a tool; throws its error. */
  readonly use: (name: string, args?: Record<string, unknown>) => Promise<Body>;
}

export async function createAgent(
  more: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Agent> {
  const { root, remove } = projectFolder({ ...files(), ...more });
  const galley = await createGalley({ project: root, memory: false, admin: true, environment });
  const client = new Client({ name: "agent", version: "1.0.0" });
  const headers = { authorization: `Bearer ${KEY}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${galley.serve()}/admin/mcp`), { requestInit: { headers } }),
  );
  const use: Agent["use"] = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error((result.content as { text: string }[])[0]!.text);
    return result.structuredContent;
  };
  const close = async () => {
    await client.close();
    await galley.close();
    remove();
  };
  return { galley, root, client, close, use };
}

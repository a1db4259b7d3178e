/** A user's token opens neither endpoint, whatever the user's role may do. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../../src/index.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";

const user = { username: "ada", email: "ada@example.com", password: "Secret-123", role: "authenticated" };
const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({
    users: [{ ...user, confirmed: true }],
    roles: { authenticated: ["api::note.note.*"], public: ["plugin::users-permissions.auth.callback"] },
    tokens: [{ name: "admin", type: "admin", key: "test-admin-token" }],
  }),
  "config/server.json": JSON.stringify({ mcp: { enabled: true } }),
});

let galley: Galley;
let jwt: string;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: { JWT_SECRET: "a secret for tests" } });
  const body = JSON.stringify({ identifier: user.username, password: user.password });
  const init = { method: "POST", body, headers: { "content-type": "application/json" } };
  const response = await galley.handle(new Request("http://localhost/api/auth/local", init));
  ({ jwt } = (await response.json()) as { jwt: string });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const ask = (path: string, token: string) =>
  galley.handle(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_note" } }),
    }),
  );

test.each(["/mcp", "/admin/mcp"])("%s refuses it", async (path) => {
  const headers = { authorization: `Bearer ${jwt}` };
  expect((await galley.handle(new Request("http://localhost/api/notes", { headers }))).status).toBe(200);
  const refused = await ask(path, jwt);
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { message: "Authentication required" } });
  expect((await ask(path, "test-admin-token")).status).toBe(200);
});

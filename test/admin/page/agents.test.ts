/** What agents have changed is on a page, and is undone there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { configFile, typeFile } from "../../project.ts";
import { findProblems, findProblemsAtWidths } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const UID = "api::note.note";
const files = {
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: "test-admin-token" }] }),
};

describe.skipIf(!hasBrowser)("the page of agents", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(files, (page) => {
    ({ server, admin } = page);
  });
  const client = new Client({ name: "agent", version: "1.0.0" });
  beforeAll(async () => {
    const headers = { authorization: "Bearer test-admin-token" };
    const url = new URL("/admin/mcp", server.address);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    await call("session_begin", { name: "Notes of a test" });
    await call("content_create", { uid: UID, documents: [{ text: "a" }] });
    await call("session_begin", { name: "More" });
    await call("content_create", { uid: UID, documents: [{ text: "b" }] });
  });
  afterAll(() => client.close());

  test("without any, it says so, once they have come", async () => {
    const answered = Promise.withResolvers<void>();
    await admin.page.route("**/agent-sessions*", async (route) => {
      await answered.promise;
      await route.fulfill({ json: { data: [] } });
    });
    await admin.page.goto(`${server.address}/admin/agents`, { waitUntil: "commit" });
    await admin.page.locator(".skeleton").first().waitFor();
    answered.resolve();
    await admin.page.locator(".empty", { hasText: "No agent has changed anything" }).waitFor();
    expect([await admin.page.locator(".skeleton").count(), await admin.page.locator(".item-list").isVisible()]).toEqual(
      [0, false],
    );
    await admin.page.unroute("**/agent-sessions*");
  });

  test("it names sessions with their changes, and restores what was before one", async () => {
    await admin.visit("/admin");
    await admin.page.getByRole("link", { name: "Agents" }).click();
    await admin.page.getByText("content_create").first().waitFor();
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.getByRole("button", { name: "Restore what was before: Notes of a test", exact: true }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByText("The session after it is undone, too.").waitFor();
    expect(await findProblemsAtWidths(admin.page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await admin.message("Notes of a test is undone");
    await admin.page.getByText("No agent has changed anything that can be restored.").waitFor();
    expect(await server.galley.documents(UID).count({})).toBe(0);
    expect(admin.complaints).toEqual([]);
  });
});

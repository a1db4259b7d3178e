/** The protocol costs nothing until it is used: its modules are loaded with the first call. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { configFile, projectFolder, typeFile } from "../../project.ts";

test("neither the start nor requests of others load what serves the protocol", async () => {
  const folder = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    ...configFile({ tokens: [{ name: "admin", type: "admin", key: "test-admin-token" }] }),
    "config/server.json": JSON.stringify({ mcp: { enabled: true } }),
  });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "loaded-modules.ts"), folder.root], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  folder.remove();
  const { before, after } = JSON.parse(text.trim().split("\n").at(-1)!) as Record<string, string[]>;
  expect(before).toEqual([]);
  // otherwise nothing was measured
  expect(after!.some((path) => path.includes("@modelcontextprotocol/server"))).toBe(true);
}, 60_000);

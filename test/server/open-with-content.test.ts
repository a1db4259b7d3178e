/** Exports, pushes and publishing of a project that was never served. */
import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWithContent } from "../../src/server/open-with-content.ts";

test("content files are content before the first start, and are loaded once", async () => {
  const root = mkdtempSync(join(tmpdir(), "galley-open-"));
  try {
    cpSync(join(import.meta.dir, "../../data/starter"), root, { recursive: true });
    const seen: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      const project = await openWithContent(root, { environment: {} });
      const { storage } = project.context;
      seen.push(storage.all("SELECT count(*), min(document_id) FROM tags")[0]);
      await project.close();
    }
    expect(seen[0]).toEqual([12, expect.any(String)]);
    expect(seen[1]).toEqual(seen[0]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

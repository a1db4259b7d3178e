/** Each project that `galley init` can write is served, with its content, and lets nobody do more than read. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { templates, writeStarter } from "../../src/server/starter.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-templates-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Articles that everybody may read; undefined where there are none. */
const articles = { starter: 10, blog: 3, empty: undefined } as const;

for (const template of templates) {
  test(`${template} is written and served`, async () => {
    const project = join(scratch, template);
    await writeStarter(project, template);
    const galley = await createGalley({ project, environment: {} });
    try {
      const get = (path: string) => galley.handle(new Request(`http://localhost${path}`));
      const list = await get("/api/articles?populate=*");
      const count = articles[template];
      expect(list.status).toBe(count === undefined ? 404 : 200);
      const { meta } = (await list.json()) as { meta?: { pagination: { total: number } } };
      expect(meta?.pagination.total).toBe(count as number);
      expect((await get("/graphql?query={__typename}")).status).not.toBe(500);
      const body = JSON.stringify({ data: { name: "x" } });
      const headers = { "content-type": "application/json" };
      const write = new Request("http://localhost/api/authors", { method: "POST", body, headers });
      expect((await galley.handle(write)).status).toBeOneOf([403, 404, 405]);
    } finally {
      await galley.close();
    }
  });
}

/** The loaders as they are packed, on Node.js. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { bundleForNode } from "../../scripts/package/library.ts";
import { create, siteServer } from "./site-server.ts";

const node = Bun.which("node");
const folder = mkdtempSync(join(tmpdir(), "galley-packed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = Object.entries(manifest.exports).flatMap(([name, source]) =>
  source.startsWith("./src/loaders/") ? [name as keyof typeof manifest.exports] : [],
);

test.skipIf(!node)(
  "each is imported and required, and reads",
  async () => {
    expect(names).toEqual(["./astro", "./next", "./gatsby", "./eleventy"]);
    for (const name of names) await bundleForNode(name, folder);
    // edge runtimes, where routes of Next.js and Astro may run, have none of Node.js's modules
    for (const name of ["astro", "next"])
      expect(await Bun.file(join(folder, `loaders/${name}.cjs`)).text()).not.toContain("node:");
    await using server = await siteServer("Galley");
    await create(server, "articles", { title: "one" });
    const program = `
      const { createRequire } = await import("node:module");
      const require = createRequire(import.meta.url);
      for (const name of ${JSON.stringify(names.map((name) => name.slice(2)))}) {
        const imported = await import("./loaders/" + name + ".mjs");
        const required = require("./loaders/" + name + ".cjs");
        for (const [key, value] of Object.entries(imported)) if (required[key] !== value) throw new Error(name + " " + key);
      }
      const { readDocuments } = await import("./loaders/eleventy.mjs");
      const source = { type: "api::article.article", path: "articles" };
      const first = await readDocuments(source, "kept/articles.json");
      const second = await readDocuments(source, "kept/articles.json");
      console.log(JSON.stringify([first, second].map((list) => list.map(({ title }) => title))));`;
    writeFileSync(join(folder, "program.mjs"), program);
    const child = Bun.spawn([node!, "program.mjs"], {
      cwd: folder,
      env: { PATH: process.env.PATH, STRAPI_URL: server.url, STRAPI_TOKEN: server.token },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(errors).toBe("");
    expect(JSON.parse(output)).toEqual([["one"], ["one"]]);
  },
  60_000,
);

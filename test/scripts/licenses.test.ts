import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledPackages } from "../../scripts/embed-licenses.ts";

const ROOT = join(import.meta.dir, "../..");

test("the font of the admin page is one of the packages", async () => {
  const packages = await bundledPackages([join(ROOT, "src/ui/styles/index.css")]);
  const font = [...packages].find((path) => path.endsWith("/@fontsource-variable/geist"));
  expect(readFileSync(join(font!, "LICENSE"), "utf8")).toContain("SIL OPEN FONT LICENSE Version 1.1");
});

test("the packages of a bundle are those that it takes in, and those that are inside their files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-licenses-"));
  const entry = join(folder, "entry.ts");
  const modules = join(ROOT, "node_modules");
  writeFileSync(
    entry,
    `import busboy from "${modules}/busboy";
     import page from "${modules}/graphiql/graphiql.min.js" with { type: "file" };
     import dom from "${modules}/react-dom/umd/react-dom.production.min.js" with { type: "file" };
     import type { Static } from "${modules}/@sinclair/typebox";
     console.log(busboy, page, dom);`,
  );
  const names = [...(await bundledPackages([entry]))].map((path) => path.slice(modules.length + 1));
  rmSync(folder, { recursive: true });
  // of the source: busboy and what it needs; by its source map: what is in the page; by its dependencies: what is in react-dom
  for (const name of [
    "busboy",
    "streamsearch",
    "graphiql",
    "codemirror",
    "@radix-ui/react-dialog",
    "react-dom",
    "scheduler",
  ])
    expect(names).toContain(name);
  for (const name of ["@sinclair/typebox", "typescript", "graphql-yoga", "@apollo/client"])
    expect(names).not.toContain(name);
});

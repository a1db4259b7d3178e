#!/usr/bin/env bun
/**
 * Writes down which members Strapi's plugins, `strapi` and its packages have: `bun scripts/conformance/member-shapes.ts --reference DIR`.
 * DIR is where `reference.ts install` put it. test/strapi/member-shapes.test.ts compares Galley's.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectFolder, writeFiles } from "../../test/project.ts";
import { SHAPES, shapesProject } from "../../test/strapi/member-shapes/project.ts";
import { layOut, start, VERSION } from "./reference.ts";

const { values: options } = parseArgs({ options: { reference: { type: "string" } } });
if (!options.reference) {
  console.error("member-shapes: --reference is needed (see reference.ts install)");
  process.exit(2);
}
const { root, remove } = projectFolder(shapesProject);
const dir = layOut(options.reference, root);
// layOut has set an index of its own
writeFiles(dir, { "src/index.js": shapesProject["src/index.js"]! });
const server = await start(dir, 15_000 + Math.floor(Math.random() * 4_000));
const version = VERSION.split(".").slice(0, 2).join(".");
copyFileSync(join(dir, SHAPES), join(import.meta.dir, `../../test/project-code/member-shapes/strapi-${version}.txt`));
await server.stop();
remove();

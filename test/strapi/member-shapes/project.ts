/** The project whose own code writes down the members that Strapi and Galley have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { typeFile } from "../../project.ts";

const PLUGINS = [
  ...["users-permissions", "upload", "email", "i18n", "graphql", "content-manager"],
  ...["content-type-builder", "content-releases", "review-workflows"],
];

/** Written below the project's folder once it has started. */
export const SHAPES = "shapes.txt";

export const shapesProject: Readonly<Record<string, string>> = {
  ...typeFile("note", { title: { type: "string" } }),
  "src/probe.js": readFileSync(join(import.meta.dir, "probe.js"), "utf8"),
  ...Object.fromEntries(
    PLUGINS.map((name) => [
      `src/extensions/${name}/strapi-server.js`,
      `module.exports = (plugin) => require("../../probe").extension("${name}", plugin);`,
    ]),
  ),
  "src/index.js": `module.exports = {
    register() {},
    bootstrap({ strapi }) { require("./probe").finish(strapi, strapi.dirs.app.root + "/${SHAPES}"); },
  };`,
};

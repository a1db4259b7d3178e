/**
 * The code files of a content-type: the default router, controller and service of a new one, without which a project with code of its
 * own does not serve it, and those that are removed with a type, since they would refer to nothing.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { FileChange } from "./schema-edit.ts";

const SCHEMA_FILE = /^(?<api>src\/api\/(?<folder>[^/]+))\/content-types\/(?<name>[^/]+)\/schema\.json$/;

const FACTORIES = [
  ["routes", "createCoreRouter"],
  ["controllers", "createCoreController"],
  ["services", "createCoreService"],
] as const;

export interface CodeFileChange {
  readonly path: string;
  /** Null removes the file. */
  readonly after: string | null;
}

const factoryText = (factory: string, uid: string, isTypeScript: boolean): string =>
  isTypeScript
    ? `import { factories } from "@strapi/strapi";\n\nexport default factories.${factory}("${uid}");\n`
    : `const { factories } = require("@strapi/strapi");\n\nmodule.exports = factories.${factory}("${uid}");\n`;

/** The files of a folder at any depth, with `/` as separator. Links are not followed: they may lead out of the project. */
function* filesIn(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** As in Strapi: the files of the api, at any depth, that have the name of the type. */
function namedFiles(root: string, api: string, name: string): CodeFileChange[] {
  if (!existsSync(join(root, api))) return [];
  return [...filesIn(root, api)]
    .filter((path) => basename(path, extname(path)) === name)
    .map((path) => ({ path, after: null }));
}

function factoryFiles(root: string, api: string, folder: string, name: string): CodeFileChange[] {
  const isTypeScript = existsSync(join(root, "tsconfig.json"));
  const extension = isTypeScript ? "ts" : "js";
  return FACTORIES.map(([kind, factory]) => ({
    path: `${api}/${kind}/${name}.${extension}`,
    after: factoryText(factory, `api::${folder}.${name}`, isTypeScript),
  })).filter(({ path }) => !["js", "ts"].some((other) => existsSync(join(root, `${path.slice(0, -2)}${other}`))));
}

/** The changes of code files that belong to a change of a type's file. */
export function codeFileChanges(root: string, { file, definition }: FileChange, hasCode: boolean): CodeFileChange[] {
  const groups = SCHEMA_FILE.exec(file)?.groups;
  if (!groups) return [];
  const { api = "", folder = "", name = "" } = groups;
  if (definition === undefined) return namedFiles(root, api, name).filter(({ path }) => path !== file);
  return hasCode && !existsSync(join(root, dirname(file), "schema.json")) ? factoryFiles(root, api, folder, name) : [];
}

/** Whether npm packages are installed. Checked on disk, since Bun would download missing packages. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toRecord } from "../../lib/is-record.ts";

/** Loaded lazily: it takes time, and most projects import nothing. */
let builtins: ReadonlySet<string> | undefined;

export function isBuiltin(name: string): boolean {
  if (/^(node|bun):/.test(name)) return true;
  const { builtinModules } = require("node:module") as typeof import("node:module");
  builtins ??= new Set([...builtinModules, "bun"]);
  return builtins.has(name);
}

/** The package that a specifier belongs to: "a/b" to "a", "@a/b/c" to "@a/b". */
export const toPackageName = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

/** A package in a `node_modules` of the folder or of a parent folder, where workspaces have it. */
export function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

export const isInstalled = (name: string, from: string): boolean => findPackage(name, from) !== undefined;

/** `package.json` of a folder; empty without one, and for an invalid one, which package managers report. */
export function readPackageJson(folder: string): Readonly<Record<string, unknown>> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return {};
  try {
    return toRecord(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

/** The names of the packages that a project depends on. */
export const listDependencies = (root: string): string[] => Object.keys(toRecord(readPackageJson(root).dependencies));

const ADD_COMMANDS = { "package-lock.json": "npm install", "yarn.lock": "yarn add", "pnpm-lock.yaml": "pnpm add" };

/** The versions of packages that an installation of Strapi has, so that projects import them without naming them as dependencies. */
const STRAPI_TREE = new Map(
  `@apollo/server@4.13.0 @casl/ability@6.7.5 @koa/cors@5.0.0 @koa/router@12.0.2 @paralleldrive/cuid2@2.2.2 ajv@8.20.0 axios@1.19.0
  bcryptjs@2.4.3 byte-size@8.1.1 bytes@3.1.2 chalk@4.1.2 cli-table3@0.6.5 commander@8.3.0 cookie@0.7.2 cors@2.8.6 cross-spawn@7.0.6
  date-fns@2.30.0 debug@4.3.4 delegates@1.0.0 dotenv@16.6.1 execa@5.1.1 form-data@4.0.6 formidable@2.1.5 fs-extra@11.3.4
  graphql@16.15.0 graphql-depth-limit@1.1.0 graphql-scalars@1.22.2 helmet@6.2.0 http-errors@2.0.0 immer@9.0.21 inquirer@9.3.8
  jose@4.15.9 js-yaml@4.3.2 jsonwebtoken@9.0.3 knex@3.0.1 koa@2.16.4 koa-body@6.0.1 koa-bodyparser@4.4.1 koa-compose@4.1.0
  koa-compress@5.1.1 koa-favicon@2.1.0 koa-helmet@7.1.0 koa-ip@2.1.4 koa-session@7.0.2 koa-static@5.0.0 koa2-ratelimit@1.1.3
  lodash@4.18.1 mime@1.6.0 mime-types@2.1.35 nanoid@3.3.20 nexus@1.3.0 node-fetch@2.7.0 open@8.4.2 ora@5.4.1 p-map@4.0.0
  pluralize@8.0.0 qs@6.15.3 semver@7.7.4 sharp@0.35.3 statuses@2.0.2 tar@7.5.22 tar-stream@2.2.0 undici@6.29.1 url-join@4.0.1
  uuid@9.0.1 winston@3.10.0 ws@8.21.2 yup@0.32.9 zod@4.4.3
  @strapi/core@5.54.0 @strapi/database@5.54.0 @strapi/logger@5.54.0 @strapi/permissions@5.54.0 @strapi/plugin-graphql@5.54.0`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, entry.lastIndexOf("@")), entry]),
);

/** The command that installs packages, of the package manager that the project uses, in the versions that Strapi has. */
export function installCommand(root: string, names: readonly string[]): string {
  const [, command = "bun add"] = Object.entries(ADD_COMMANDS).find(([lock]) => existsSync(join(root, lock))) ?? [];
  return `${command} ${names.map((name) => STRAPI_TREE.get(name) ?? name).join(" ")}`;
}

/** `specifier`: a package, or a path in one. */
export function absentPackage(specifier: string, root: string): string {
  const name = toPackageName(specifier);
  return `the package ${name} is not installed (${installCommand(root, [name])})`;
}

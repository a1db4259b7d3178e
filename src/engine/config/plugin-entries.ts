/** Entries of `config/plugins`: those with which Strapi does not start are refused, also where they say `enabled: false`. */
import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { ProjectReport } from "../../lib/errors.ts";
import { isKebabCase } from "../../lib/kebab-case.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { describeKind, mergedParts, type SectionPart } from "./files.ts";
import { absentPackage, listDependencies, toPackageName } from "./packages.ts";

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The folder of the file that Node finds for a package or an absolute path, from where Strapi's loader is. */
function folderOfModule(root: string, specifier: string): string | undefined {
  const { createRequire } = require("node:module") as typeof import("node:module");
  try {
    const file = createRequire(join(root, "node_modules/@strapi/core/dist/loaders/plugins/index.js")).resolve(
      specifier,
    );
    return isAbsolute(file) ? dirname(file) : undefined;
  } catch {
    // otherwise it is a folder of the project
    return undefined;
  }
}

const isRelative = (specifier: string): boolean => /^\.{1,2}(?:\/|$)/.test(specifier);

/** The folder of a plugin by its `resolve`, as in Strapi; undefined if there is none. */
export function pluginFolder(root: string, specifier: string): string | undefined {
  const found = isRelative(specifier) ? undefined : folderOfModule(root, specifier);
  if (found !== undefined) return found;
  const folders = [resolve(root, specifier)];
  // the path comes from `__dirname`, which is below dist in a compiled file
  if (isAbsolute(specifier) && existsSync(join(root, "tsconfig.json")))
    folders.push(resolve(root, "dist", relative(root, specifier)));
  return folders.find(isFolder);
}

/** Whether `resolve` is a package that Strapi may find once the project's packages are installed. */
const isAbsentPackage = (root: string, specifier: string): boolean =>
  !isRelative(specifier) &&
  !isAbsolute(specifier) &&
  !existsSync(join(root, specifier.split("/")[0]!)) &&
  (listDependencies(root).includes(toPackageName(specifier)) || !existsSync(join(root, "node_modules")));

/** `specifier`: a value other than false, null and the like. */
function checkFolder(root: string, specifier: unknown, file: string, key: string, report: ProjectReport): void {
  if (typeof specifier !== "string") return report.refuse(file, key, `must be text, not ${describeKind(specifier)}`);
  const folder = pluginFolder(root, specifier);
  if (folder === undefined) {
    if (!isAbsentPackage(root, specifier)) return report.refuse(file, key, `there is no folder "${specifier}"`);
    return report.warn(file, key, `${absentPackage(specifier, root)}; nothing of the plugin is served`);
  }
  const manifest = relative(root, join(folder, "package.json"));
  if (!existsSync(join(root, manifest))) return report.refuse(file, key, `there is no file "${manifest}"`);
  report.attempt(() => readProjectJson(root, manifest));
}

/** `parts`: the files of `config/plugins`. Strapi reads no entries of JSON files. */
export function checkPluginEntries(root: string, parts: readonly SectionPart[], report: ProjectReport): void {
  const files = parts.filter(({ file }) => !file.endsWith(".json"));
  for (const [name, entry] of Object.entries(mergedParts(files))) {
    const { file } = files.findLast(({ section }) => name in section)!;
    if (!isKebabCase(name)) report.refuse(file, name, "the name of a plugin must be in kebab-case");
    else if (entry === null || entry === undefined)
      report.refuse(file, name, `must be an object or a boolean, not ${describeKind(entry)}`);
    else {
      const { enabled, resolve: specifier } = entry as { readonly enabled?: unknown; readonly resolve?: unknown };
      if (!specifier) continue;
      checkFolder(root, specifier, file, `${name}.resolve`, report);
      if (enabled === undefined) report.warn(file, name, "is not run without enabled: true, as in Strapi");
    }
  }
}

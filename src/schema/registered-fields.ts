/**
 * Finds custom fields that code registers, without running it: `customFields.register({ name, plugin, type })` in the project's
 * plugins, in src/index, and in installed plugins of its package.json.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { RegisteredFields } from "./definition.ts";

/** Larger files are skipped: they are bundles of other code. */
const MAX_FILE_BYTES = 2_000_000;
const MAX_FILES = 400;
const CODE = /\.(js|ts|mjs|cjs|mts|cts)$/;
/** Folders without code of the server. */
const SKIPPED = new Set(["node_modules", "admin", ".git", ".cache", "coverage"]);

/** Code files below a folder, breadth first. */
function codeFiles(folder: string): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let dir = folders.shift(); dir !== undefined && files.length < MAX_FILES; dir = folders.shift()) {
    if (!existsSync(dir)) continue;
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      else if (entry.isFile() && CODE.test(entry.name) && !entry.name.includes(".d.")) files.push(path);
    }
  }
  return files.filter((file) => statSync(file).size <= MAX_FILE_BYTES);
}

const property = (text: string, name: string): string | undefined =>
  new RegExp(`\\b${name}\\s*:\\s*["'\`]([^"'\`$]+)["'\`]`).exec(text)?.[1];

/** The text between the parentheses of a call. */
function argumentsAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(from, at);
  }
  return "";
}

/** The argument may be an object or a list of objects; nested objects (`inputSize`) have neither name nor type. */
const REGISTER = /customFields["'\]]*\)?\s*\.\s*register\s*(?=\()/g;

/** `plugin`: of whom the code is; what it registers under a name that is no literal is taken for its own. */
function registeredIn(text: string, plugin: string | undefined): [uid: string, type: string][] {
  return [...text.matchAll(REGISTER)].flatMap(({ index, 0: call }) =>
    argumentsAt(text, index + call.length)
      .split(/(?=\bname\s*:)/)
      .flatMap((part): [string, string][] => {
        const name = property(part, "name") ?? plugin;
        const type = property(part, "type");
        if (!name || !type) return [];
        const owner = property(part, "plugin") ?? (/\bplugin\s*:/.test(part) ? plugin : undefined) ?? plugin;
        return [[owner ? `plugin::${owner}.${name}` : `global::${name}`, type]];
      }),
  );
}

interface Code {
  readonly folder: string;
  readonly plugin: string | undefined;
}

function packageJson(folder: string): Record<string, unknown> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    // a package.json that does not parse only costs the plugin's name, which is its folder's then
    return {};
  }
}

const pluginName = (folder: string): string => {
  const { strapi } = packageJson(folder) as { strapi?: { name?: unknown } };
  return typeof strapi?.name === "string" ? strapi.name : basename(folder);
};

function pluginFolders(root: string): Code[] {
  const local = join(root, "src/plugins");
  const own = existsSync(local) ? readdirSync(local).map((name) => join(local, name)) : [];
  const { dependencies } = packageJson(root) as { dependencies?: Record<string, unknown> };
  const installed = Object.keys(dependencies ?? {}).map((name) => join(root, "node_modules", name));
  const isPlugin = (folder: string) =>
    (packageJson(folder).strapi as { kind?: unknown } | undefined)?.kind === "plugin";
  return [...own, ...installed.filter(isPlugin)].map((folder) => ({ folder, plugin: pluginName(folder) }));
}

/** The types of those custom fields that code of the project registers. */
export function findRegisteredFields(root: string, uids: ReadonlySet<string>): RegisteredFields {
  const found: Record<string, string> = {};
  const read = (file: string, plugin: string | undefined): void => {
    for (const [uid, type] of registeredIn(readFileSync(file, "utf8"), plugin)) if (uids.has(uid)) found[uid] = type;
  };
  for (const { folder, plugin } of pluginFolders(root)) {
    for (const file of codeFiles(folder)) read(file, plugin);
  }
  for (const name of ["index.ts", "index.js"]) {
    const file = join(root, "src", name);
    if (existsSync(file)) read(file, undefined);
  }
  return found;
}

/**
 * Finds custom fields that code registers, without running it: `customFields.register({ name, plugin, type })` in the project's
 * plugins, in src/index, and in installed plugins of its package.json.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isListedField } from "../../engine/schema/custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema, RegisteredFields } from "../../engine/schema/definition.ts";
import { installedPlugins, readPlugin } from "./plugin-files.ts";

/** Larger files are skipped: they are bundles of other code. */
const MAX_FILE_BYTES = 2_000_000;
const MAX_FILES = 400;
const CODE = /\.(js|ts|mjs|cjs|mts|cts)$/;
/** Folders without code of the server. */
const SKIPPED = new Set(["node_modules", "admin", ".git", ".cache", "coverage"]);

/** Code files below a folder, breadth first. `others`: the names of further folders that are left out. */
export function codeFiles(folder: string, others: readonly string[] = []): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let dir = folders.shift(); dir !== undefined && files.length < MAX_FILES; dir = folders.shift()) {
    if (!existsSync(dir)) continue;
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name) && !others.includes(entry.name)) folders.push(path);
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
  for (let index = from; index < text.length; index++) {
    if (text[index] === "(") depth++;
    if (text[index] === ")" && --depth === 0) return text.slice(from, index);
  }
  return "";
}

/** The argument may be an object or a list of objects; nested objects (`inputSize`) have neither name nor type. */
const REGISTER = /customFields["'\]]*\)?\s*\.\s*register\s*(?=\()/g;

/** Descriptions of custom fields in a text. `plugin`: the plugin of the code, also used for names that are not literals. */
const parseFields = (text: string, plugin: string | undefined): [uid: string, type: string][] =>
  text.split(/(?=\bname\s*:)/).flatMap((part): [string, string][] => {
    const name = property(part, "name") ?? plugin;
    const type = property(part, "type");
    if (!name || !type) return [];
    const owner = property(part, "plugin") ?? (/\bplugin\s*:/.test(part) ? plugin : undefined) ?? plugin;
    return [[owner ? `plugin::${owner}.${name}` : `global::${name}`, type]];
  });

/** Custom fields that a source text registers, and those that it may describe elsewhere than in the call, in a list for example. */
function parseRegistrations(text: string, plugin: string | undefined) {
  const calls = [...text.matchAll(REGISTER)];
  const literal = calls.flatMap(({ index, 0: call }) => parseFields(argumentsAt(text, index + call.length), plugin));
  return [...(calls.length > 0 ? parseFields(text, plugin) : []), ...literal];
}

function localPlugins(root: string) {
  const folder = join(root, "src/plugins");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => readPlugin(join(folder, name), name));
}

/** Files that several bundles of a package share, mostly the panel's, which registers fields with types of its own. */
const isChunk = (file: string): boolean => /[\\/]_chunks[\\/]/.test(file);

/** Attribute types of the custom fields in `uids` that the project's code registers. */
function findRegisteredFields(root: string, uids: ReadonlySet<string>): RegisteredFields {
  const fields: Record<string, string> = {};
  const readFile = (file: string, plugin: string | undefined): void => {
    for (const [uid, type] of parseRegistrations(readFileSync(file, "utf8"), plugin))
      if (uids.has(uid)) fields[uid] = type;
  };
  const isUnlisted = [...uids].some((uid) => !isListedField(uid));
  for (const { folder, name } of [...localPlugins(root), ...installedPlugins(root)]) {
    // most plugins need not be read if the types of all fields are known: only those that may have others
    if (!isUnlisted && ![...uids].some((uid) => uid.startsWith(`plugin::${name}.`))) continue;
    // the server's files come last, and replace other types
    for (const file of codeFiles(folder).toSorted((a, b) => Number(isChunk(b)) - Number(isChunk(a))))
      readFile(file, name);
  }
  for (const name of ["index.ts", "index.js"]) {
    const file = join(root, "src", name);
    if (existsSync(file)) readFile(file, undefined);
  }
  return fields;
}

function usedFields(raws: readonly (RawContentType | RawComponent)[]): ReadonlySet<string> {
  const uids = raws.flatMap(({ definition }) =>
    Object.values(definition?.attributes ?? {}).flatMap((attribute) =>
      attribute?.type === "customField" ? [String(attribute.customField)] : [],
    ),
  );
  return new Set(uids);
}

/** The schema with the types of its custom fields that the project's code registers. */
export function withRegisteredFields<S extends Pick<RawSchema, "types" | "components">>(
  root: string,
  schema: S,
): S & Pick<RawSchema, "customFields"> {
  const fields = usedFields([...schema.types, ...schema.components]);
  return fields.size === 0 ? schema : { ...schema, customFields: findRegisteredFields(root, fields) };
}

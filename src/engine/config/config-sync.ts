/** Reads the files of the config-sync plugin, which export roles, locales and settings of Strapi's database, one file each. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { stringOrNone, tryParseJson } from "../../lib/coerce.ts";
import { ProjectError } from "../../lib/errors.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { isSection, listNames, type Section } from "./files.ts";

/** The folder of the files, and their fingerprint. They are read only when it has changed. */
export interface ConfigSync {
  /** Relative to the project. */
  readonly folder: string;
  readonly fingerprint: string;
}

export interface SyncedRole {
  readonly type: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** As listed; may include unknown actions. */
  readonly actions: readonly string[];
}

export interface SyncedConfiguration {
  readonly roles: readonly SyncedRole[];
  readonly locales: readonly { readonly code: string; readonly name: string | undefined }[];
  /** Rows of Strapi's core store. */
  readonly settings: ReadonlyMap<string, unknown>;
}

const FOLDER = "config/sync";
/** Other files are not read: roles of administrators, and types that the project adds to the plugin. */
const FILE = /^(user-role|i18n-locale|core-store)\..+\.json$/;
const MAX_FILE_BYTES = 8_000_000;

const listFiles = (root: string, folder: string): string[] =>
  [...listNames(root, folder)].filter((name) => FILE.test(name)).sort();

/** `plugins`: value of `config/plugins`, which may set another folder. Undefined if there are no files. */
export function findConfigSync(root: string, plugins: Section): ConfigSync | undefined {
  const plugin = plugins["config-sync"];
  const config = isSection(plugin) && isSection(plugin.config) ? plugin.config : {};
  const folder = typeof config.syncDir === "string" ? config.syncDir.replace(/\/+$/, "") : FOLDER;
  const names = listFiles(root, folder);
  if (names.length === 0) return undefined;
  const files = names.map((name) => {
    const { size, mtimeMs } = statSync(join(root, folder, name));
    return [name, size, mtimeMs];
  });
  return { folder, fingerprint: Bun.hash(JSON.stringify(files)).toString(36) };
}

function readSection(root: string, file: string): Section {
  if (statSync(join(root, file)).size > MAX_FILE_BYTES)
    throw new ProjectError(file, undefined, `is larger than ${MAX_FILE_BYTES} bytes`);
  const value = readProjectJson(root, file);
  if (isSection(value)) return value;
  throw new ProjectError(file, undefined, "must hold an object");
}

function requiredText(value: Section, key: string, file: string): string {
  const text = value[key];
  if (typeof text === "string" && text !== "") return text;
  throw new ProjectError(file, key, "must be a text");
}

function parseRole(value: Section, file: string): SyncedRole {
  const { permissions = [], name, description } = value;
  if (!Array.isArray(permissions)) throw new ProjectError(file, "permissions", "must be a list");
  const actions = permissions.map((permission: unknown, index) => {
    if (isSection(permission) && typeof permission.action === "string") return permission.action;
    throw new ProjectError(file, `permissions.${index}.action`, "must be a text");
  });
  return {
    type: requiredText(value, "type", file),
    name: stringOrNone(name),
    description: stringOrNone(description),
    actions: [...new Set(actions)],
  };
}

/** Some versions of the plugin write objects as JSON strings. */
export function parseSetting({ value, type }: { readonly value?: unknown; readonly type?: unknown }): unknown {
  const parsed = typeof value !== "string" || type === "string" ? undefined : tryParseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Throws a ProjectError that names file and key. */
export function readConfigSync(root: string, { folder }: ConfigSync): SyncedConfiguration {
  const roles: SyncedRole[] = [];
  const locales: { code: string; name: string | undefined }[] = [];
  const settings = new Map<string, unknown>();
  const readers: Readonly<Record<string, (value: Section, file: string) => void>> = {
    "user-role": (value, file) => void roles.push(parseRole(value, file)),
    "i18n-locale": (value, file) =>
      void locales.push({ code: requiredText(value, "code", file), name: stringOrNone(value.name) }),
    "core-store": (value, file) => void settings.set(requiredText(value, "key", file), parseSetting(value)),
  };
  for (const name of listFiles(root, folder)) {
    const file = `${folder}/${name}`;
    readers[name.slice(0, name.indexOf("."))]!(readSection(root, file), file);
  }
  return { roles, locales, settings };
}

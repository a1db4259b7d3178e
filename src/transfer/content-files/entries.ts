/**
 * Reads a project's content files: `content/<plural name>.json` with a list of entries for each collection type, and
 * `content/<singular name>.json` with one entry for each single type. Checks the shape of entries, but not their data.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Data } from "../../engine/documents/rows.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { ProjectError } from "../../lib/errors.ts";
import { readProjectJson } from "../../lib/project-json.ts";

export const CONTENT_FOLDER = "content";

const Values = Type.Record(Type.String(), Type.Unknown());
const Document = Type.Object(
  {
    status: Type.Optional(Type.Union([Type.Literal("draft"), Type.Literal("published")])),
    data: Type.Optional(Values),
    locales: Type.Optional(Type.Record(Type.String(), Values)),
  },
  { additionalProperties: false },
);
/** Without slashes, which would make the names of entries ambiguous. */
const Key = Type.Object({ key: Type.String({ pattern: "^[^/\\s]+$" }) });
const KeyedDocument = Type.Object({ ...Key.properties, ...Document.properties }, { additionalProperties: false });

/** The data of one locale. */
export interface ContentVersion {
  /** Null for types without locales. */
  readonly locale: string | null;
  readonly data: Data;
  /** The path of the data in its entry. */
  readonly path: string;
}

export interface ContentEntry {
  readonly type: ContentType;
  readonly file: string;
  /** Undefined for single types. */
  readonly key: string | undefined;
  /** The name that relations use: `articles/<key>`, or `homepage` for a single type. */
  readonly name: string;
  readonly published: boolean;
  readonly versions: readonly ContentVersion[];
}

/** The locales of a project. */
export interface Locales {
  readonly codes: ReadonlySet<string>;
  readonly defaultCode: string;
}

export const fileNameOf = (type: ContentType): string =>
  type.kind === "singleType" ? type.singularName : type.pluralName;

function checkShape(shape: typeof Document, value: unknown, file: string, key: string | undefined): void {
  const error = Value.Errors(shape, value).First();
  if (!error) return;
  const path = error.path.slice(1).replaceAll("/", ".");
  const reason = error.value === undefined ? "is missing" : error.message.toLowerCase();
  throw new ProjectError(file, key, path === "" ? reason : `${path}: ${reason}`);
}

function parseVersions(
  type: ContentType,
  { data, locales = {} }: Static<typeof Document>,
  projectLocales: Locales,
): { versions: ContentVersion[]; problem: string | undefined } {
  const defaultLocale = type.localized ? projectLocales.defaultCode : null;
  const versions: ContentVersion[] = data === undefined ? [] : [{ locale: defaultLocale, data, path: "data" }];
  for (const [locale, values] of Object.entries(locales)) {
    const path = `locales.${locale}`;
    const refuse = (reason: string) => ({ versions, problem: `${path}: ${reason}` });
    if (!type.localized) return refuse(`${type.singularName} is not a localized type`);
    if (!projectLocales.codes.has(locale)) return refuse("config/galley.json has no such locale");
    if (locale === defaultLocale && data !== undefined)
      return refuse(`"data" is this locale already, as the default one`);
    versions.push({ locale, data: values, path });
  }
  return { versions, problem: versions.length === 0 ? `needs "data"` : undefined };
}

function parseEntry(type: ContentType, file: string, value: unknown, index: number, locales: Locales): ContentEntry {
  const single = type.kind === "singleType";
  const rawKey = (value as { key?: unknown } | null)?.key;
  const label = single ? undefined : typeof rawKey === "string" && rawKey !== "" ? rawKey : `entry ${index + 1}`;
  checkShape(single ? Document : KeyedDocument, value, file, label);
  const { key, ...document } = value as Static<typeof Document> & { readonly key?: string };
  const { versions, problem } = parseVersions(type, document, locales);
  if (problem !== undefined) throw new ProjectError(file, label, problem);
  if (document.status !== undefined && !type.draftAndPublish)
    throw new ProjectError(file, label, `status: ${type.singularName} has no drafts: all of its entries are public`);
  const name = single ? fileNameOf(type) : `${fileNameOf(type)}/${key}`;
  return { type, file, key, name, published: document.status !== "draft", versions };
}

function parseEntries(type: ContentType, file: string, content: unknown, locales: Locales): ContentEntry[] {
  if (type.kind === "singleType") return [parseEntry(type, file, content, 0, locales)];
  if (!Array.isArray(content)) throw new ProjectError(file, undefined, "must hold a list of entries");
  return content.map((value: unknown, index) => parseEntry(type, file, value, index, locales));
}

/** The content of files, by file name without extension. */
export type ContentByName = Readonly<Record<string, unknown>>;

/** A content file. */
interface ContentSource {
  /** The name in errors. */
  readonly file: string;
  readonly name: string;
  readonly read: () => unknown;
}

function listSources(root: string, content: ContentByName | undefined): ContentSource[] {
  if (content)
    return Object.entries(content).map(([name, value]) => ({ file: `content.${name}`, name, read: () => value }));
  const folder = join(root, CONTENT_FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return files
    .filter((name) => !name.startsWith("."))
    .sort()
    .map((name) => {
      const file = `${CONTENT_FOLDER}/${name}`;
      return { file, name: name.slice(0, -".json".length), read: () => readProjectJson(root, file) };
    });
}

/**
 * Returns the entries by name, in the order of the files. `content` replaces the files. Throws a ProjectError that names file
 * and entry.
 */
export function readEntries(
  root: string,
  types: readonly ContentType[],
  locales: Locales,
  content?: ContentByName,
): ReadonlyMap<string, ContentEntry> {
  const entries = new Map<string, ContentEntry>();
  const byName = new Map(types.map((type) => [fileNameOf(type), type]));
  for (const { file, name, read } of listSources(root, content)) {
    const type = byName.get(name);
    if (!type) {
      const extension = content ? "" : ".json";
      const names = [...byName.keys()].map((name) => `${name}${extension}`).join(", ");
      throw new ProjectError(file, undefined, `is named after no content-type; expected are ${names}`);
    }
    for (const entry of parseEntries(type, file, read(), locales)) {
      if (entries.has(entry.name)) throw new ProjectError(file, entry.key, "the key is used twice");
      entries.set(entry.name, entry);
    }
  }
  return entries;
}

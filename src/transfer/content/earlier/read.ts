/** Recognises and reads content folders of earlier formats. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { apiTypes, type ContentType, type Model } from "../../../engine/schema/model.ts";
import { ProjectReport } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { folderOf, MEDIA_FOLDER } from "../file-paths.ts";
import { localesOf, readManifest } from "../manifest.ts";
import { isDocumentFile, readExports } from "./exports.ts";
import { type ContentByName, readLists } from "./lists.ts";
import { INDEX } from "./media.ts";

const ENTRY_KEYS = new Set(["data", "status", "locales"]);

/** Undefined for a file that is missing or not JSON. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

const isEntry = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => ENTRY_KEYS.has(key));

const hasList = (folder: string, type: ContentType): boolean =>
  type.kind === "singleType"
    ? isEntry(readJson(join(folder, `${type.singularName}.json`)))
    : existsSync(join(folder, `${type.pluralName}.json`));

/** Files that tell the format of a folder. */
const FEW = 20;

function hasExport(folder: string, type: ContentType): boolean {
  if (type.kind === "singleType" && isDocumentFile(readJson(join(folder, `${type.singularName}.json`)))) return true;
  const documents = join(folder, folderOf(type));
  if (!existsSync(documents)) return false;
  const names = readdirSync(documents).filter((name) => name.endsWith(".json"));
  // some may be broken
  return names.slice(0, FEW).some((name) => isDocumentFile(readJson(join(documents, name))));
}

/** Lists of entries, or files with the versions of a document; undefined: neither. */
export function earlierFormat(folder: string, model: Model): "lists" | "exports" | undefined {
  const types = apiTypes(model);
  if (types.some((type) => hasExport(folder, type))) return "exports";
  const isListed = types.some((type) => hasList(folder, type)) || existsSync(join(folder, MEDIA_FOLDER, INDEX));
  return isListed ? "lists" : undefined;
}

interface ReadOptions {
  /** Entries instead of those in files. */
  readonly content?: ContentByName | undefined;
  /** Whether the project has locales other than those of the folder. */
  readonly hasOwnLocales: boolean;
}

/** With the locales of the folder, if it has any. Throws a ProjectError with all problems. */
export function readEarlier(folder: string, context: DocumentsContext, { content, hasOwnLocales }: ReadOptions) {
  const report = new ProjectReport();
  const isExported = !content && earlierFormat(folder, context.model) === "exports";
  const locales = isExported && !hasOwnLocales ? readManifest(folder) : { locales: [], defaultLocale: "" };
  const known = locales.locales.length > 0 ? locales : localesOf(context);
  const { defaultLocale } = known;
  const codes = new Set(known.locales.map(({ code }) => code));
  const read = isExported
    ? readExports(folder, context.model, { defaultLocale, ...(hasOwnLocales ? { codes } : {}) }, report)
    : readLists(folder, context.model, { codes, defaultLocale }, report, content);
  report.finish();
  return { ...read, locales };
}

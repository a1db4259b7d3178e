/** Recognises content folders of earlier versions, which are loaded into an empty database and not synchronised. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { apiTypes, type ContentType, type Model } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

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
const isExported = (value: unknown): boolean => isRecord(value) && Array.isArray(value.versions);

function usesLists(folder: string, type: ContentType): boolean {
  if (type.kind === "collectionType" && existsSync(join(folder, `${type.pluralName}.json`))) return true;
  const single = type.kind === "singleType" ? readJson(join(folder, `${type.singularName}.json`)) : undefined;
  return isEntry(single) || isExported(single);
}

function usesExports(folder: string, type: ContentType): boolean {
  const documents = join(folder, type.pluralName);
  if (!existsSync(documents)) return false;
  const first = readdirSync(documents).find((name) => name.endsWith(".json"));
  return first !== undefined && isExported(readJson(join(documents, first)));
}

/** Whether a folder has lists of entries, or files of an export by versions before the format of `content-file.ts`. */
export const usesEarlierFormat = (folder: string, model: Model): boolean =>
  apiTypes(model).some((type) => usesLists(folder, type) || usesExports(folder, type)) ||
  existsSync(join(folder, "media", "index.json"));

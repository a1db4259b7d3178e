/** Names of places in content files, and their values, in the words of the page. */
import { formatLabel, localeName, typeName } from "../model.ts";
import type { Place } from "./answers.ts";

export interface NamedPlace {
  readonly label: string;
  /** The version that it is in, unless that is the draft in the default locale. */
  readonly version: string | undefined;
  /** A whole version rather than one of its fields. */
  readonly isVersion: boolean;
}

/** Names of keys that are no attributes: `$createdAt`. */
const keyLabel = (key: string): string => (key === "$id" ? "Id" : formatLabel(key.replace(/^\$/, "")));

const partLabel = (part: string | number): string => (typeof part === "number" ? String(part + 1) : keyLabel(part));

export function nameOfPlace(path: Place): NamedPlace {
  const isLocale = path[0] === "$locales" && path.length > 1;
  const locale = isLocale ? localeName(String(path[1])) : undefined;
  const inVersion = isLocale ? path.slice(2) : path;
  const isPublished = inVersion[0] === "$published";
  const field = isPublished ? inVersion.slice(1) : inVersion;
  if (field.length === 0) {
    const label = isPublished ? "Published version" : (locale ?? "Document");
    return { label, version: isPublished ? locale : undefined, isVersion: true };
  }
  const version = [locale, isPublished ? "published version" : undefined].filter(Boolean).join(", ");
  return { label: field.map(partLabel).join(" › "), version: version || undefined, isVersion: false };
}

/** "Title (German)" */
export function placeWords(path: Place): string {
  const { label, version } = nameOfPlace(path);
  return version === undefined ? label : `${label} (${version})`;
}

const MAX_WORDS = 160;
const shorten = (text: string): string => (text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text);

/** The first text in a value, for people to recognise it. */
function firstText(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const text = key === "type" || key.startsWith("__") ? undefined : firstText(inner);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The name of a related document's file: `mara` of `authors/mara`. */
const fileName = (text: string): string => text.slice(text.lastIndexOf("/") + 1);

/** Undefined for no value. `isRelation`: texts are names of files. */
export function valueWords(value: unknown, isRelation = false): string | undefined {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") {
    if (value === "") return undefined;
    if (isRelation) return fileName(value);
    return isTime(value) ? new Date(value).toLocaleString() : value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => valueWords(item, isRelation));
    return items.length === 0 ? undefined : shorten(items.join(", "));
  }
  if (typeof value !== "object") return value === undefined ? undefined : String(value);
  if (value === null) return undefined;
  const { __component, document } = value as { readonly __component?: unknown; readonly document?: unknown };
  if (typeof document === "string") return fileName(document);
  const text = firstText(value);
  const component = typeof __component === "string" ? typeName(__component) : "";
  return shorten([component, text].filter(Boolean).join(": ") || "an entry without texts");
}

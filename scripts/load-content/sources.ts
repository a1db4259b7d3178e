/** The documents of data.json with their types, and how they are recognised on a server. */
import { isRecord, type Json } from "./api.ts";
import { LoadError } from "./load-error.ts";
import type { ContentType, Schema } from "./schema.ts";

/** A document of data.json. */
export interface Source {
  readonly type: ContentType;
  readonly data: Json;
  readonly path: string;
}

const SHORT_TEXTS = new Set(["string", "email", "enumeration"]);

/** Documents by their types. Throws a LoadError for names that are no types, and for what is no document. */
export function readSources({ types }: Schema, data: Json): ReadonlyMap<string, readonly Source[]> {
  const sources = Object.entries(data).map(([name, value]): [string, Source[]] => {
    const type = types.find((item) => item.name === name);
    if (!type)
      throw new LoadError(`"${name}" is not a content-type of this server: ${types.map((t) => t.name).join(", ")}`);
    const items: unknown = type.isSingle ? [value] : value;
    if (!Array.isArray(items)) throw new LoadError(`${name} must be a list`);
    const list = items.map((item: unknown, index): Source => {
      const path = type.isSingle ? name : `${name}[${index}]`;
      if (!isRecord(item)) throw new LoadError(`${path} must be an object`);
      return { type, data: item, path };
    });
    return [type.uid, list];
  });
  return new Map(sources);
}

/** The filters that find a document: its uid and unique attributes, or its short texts. */
export function identity({ type, data, path }: Source): Record<string, string> {
  const given = Object.entries(type.attributes).filter(([name]) => ["string", "number"].includes(typeof data[name]));
  const keys = given.filter(([, { type, unique }]) => type === "uid" || unique === true);
  const names = keys.length > 0 ? keys : given.filter(([, { type }]) => SHORT_TEXTS.has(String(type)));
  if (names.length === 0) throw new LoadError(`${path} has no short text, which it could be recognised by later`);
  return Object.fromEntries(names.map(([name]) => [`filters[${name}][$eq]`, String(data[name])]));
}

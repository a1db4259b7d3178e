/** Keys of files that are attributes no longer: they stay in the files when documents are written into them. */
import { isDeepStrictEqual } from "node:util";
import { entrySchema, holdsComponents } from "../../engine/schema/entries.ts";
import type { ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../../transfer/archive/shapes.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";

type Path = readonly string[];

const isUnknown = ({ attributes }: Schema, key: string): boolean =>
  !key.startsWith("$") && key !== "__component" && !attributes.has(key);

/** Whether a value has moved to an attribute that had none before: the attribute was renamed. */
const isRenamed = (value: unknown, before: Json, now: Json): boolean =>
  Object.keys(now).some((key) => !Object.hasOwn(before, key) && isDeepStrictEqual(now[key], value));

/** What a document is now, with the keys of an earlier state that are no attributes; and the paths of these. */
export function keepUnknownKeys(
  model: Model,
  type: ContentType,
  before: ContentFile,
  now: ContentFile,
): { readonly file: ContentFile; readonly kept: readonly (readonly string[])[] } {
  const kept: Path[] = [];

  /** `now` with the unknown keys of `before`. */
  function keep(schema: Schema, before: Json, now: Json, path: Path): Json {
    const found: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(before)) {
      const own = [...path, key];
      if (isUnknown(schema, key)) {
        if (isRenamed(value, before, now)) continue;
        kept.push(own);
        found[key] = value;
      } else if (key === "$published" && isRecord(value) && isRecord(now.$published))
        found[key] = keep(schema, value, now.$published, own);
      else if (key !== "$published" && Object.hasOwn(now, key))
        found[key] = keepParts(schema, key, value, now[key], own);
    }
    return { ...now, ...found };
  }

  /** In components; of a list only while it has as many entries. */
  function keepParts({ attributes }: Schema, name: string, before: unknown, now: unknown, path: Path): unknown {
    const attribute = attributes.get(name);
    if (!holdsComponents(attribute)) return now;
    const keepPart = (old: unknown, part: unknown, own: Path): unknown => {
      if (!isRecord(old) || !isRecord(part) || old.__component !== part.__component) return part;
      const schema = entrySchema(model, attribute, part);
      return schema ? keep(schema, old, part, own) : part;
    };
    if (!Array.isArray(before) || !Array.isArray(now)) return keepPart(before, now, path);
    return before.length === now.length
      ? now.map((part, index) => keepPart(before[index], part, [...path, String(index)]))
      : now;
  }

  const { $locales: oldLocales = {}, ...oldTop } = before;
  const { $locales, ...top } = now;
  const file = keep(type, oldTop, top, []);
  if (!$locales) return { file, kept };
  const locales = Object.entries($locales).map(([code, keys]) => [
    code,
    oldLocales[code] ? keep(type, oldLocales[code], keys, ["$locales", code]) : keys,
  ]);
  return { file: { ...file, $locales: Object.fromEntries(locales) }, kept };
}

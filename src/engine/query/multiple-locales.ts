/** Whether a type has documents in more than one locale, cached until content changes. Most types have not. */
import type { Schema } from "../schema/model.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";

const multipleByType = perVersion(() => new Map<Schema, boolean>());

/** Compares the smallest and largest locale of both versions, which SQLite finds in the version index. */
function readHasMultiple(storage: Storage, { table }: Schema): boolean {
  const ends = ["draft", "published"].flatMap((status) =>
    ["min", "max"].map((end) => `(SELECT ${end}(locale) FROM ${quote(table)} WHERE status = '${status}')`),
  );
  const locales = storage.first(`SELECT ${ends.join(", ")}`) ?? [];
  return new Set(locales.filter((locale) => locale !== null)).size > 1;
}

export const hasMultipleLocales = (storage: Storage, schema: Schema): boolean =>
  multipleByType(storage).getOrInsertComputed(schema, () => readHasMultiple(storage, schema));

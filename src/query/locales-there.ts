/** Whether a type has documents in several locales; in most projects few types do. */
import type { Schema } from "../schema/model.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";

const severalByType = perVersion(() => new Map<Schema, boolean>());

/** Reads the smallest and largest locale of both versions from the index of versions. */
function readSeveral(storage: Storage, { table }: Schema): boolean {
  const ends = ["draft", "published"].flatMap((status) =>
    ["min", "max"].map((end) => `(SELECT ${end}(locale) FROM ${quote(table)} WHERE status = '${status}')`),
  );
  const locales = storage.first(`SELECT ${ends.join(", ")}`) ?? [];
  return new Set(locales.filter((locale) => locale !== null)).size > 1;
}

export const hasSeveralLocales = (storage: Storage, schema: Schema): boolean =>
  severalByType(storage).getOrInsertComputed(schema, () => readSeveral(storage, schema));

/** Whether a type has documents in several locales, which most projects have for none or few of their types. */
import type { Schema } from "../schema/model.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";

const known = perVersion(() => new Map<Schema, boolean>());

/** The ends of both versions' locales: the index of versions has them ready. */
function readSeveral(storage: Storage, { table }: Schema): boolean {
  const ends = ["draft", "published"].flatMap((status) =>
    ["min", "max"].map((end) => `(SELECT ${end}(locale) FROM ${quote(table)} WHERE status = '${status}')`),
  );
  const locales = storage.first(`SELECT ${ends.join(", ")}`) ?? [];
  return new Set(locales.filter((locale) => locale !== null)).size > 1;
}

export const hasSeveralLocales = (storage: Storage, schema: Schema): boolean =>
  known(storage).getOrInsertComputed(schema, () => readSeveral(storage, schema));

/** The values of versions of documents at each of some entries of triggers, which record what there was before. */
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import type { RowVersion } from "./changed-rows.ts";
import type { StoredLinks } from "./stored-links.ts";
import { events } from "./triggers.ts";
import { literals, type StoredValue, toValues, valueColumns } from "./values.ts";
import type { Entry } from "./versions.ts";

export type Values = ReadonlyMap<string, StoredValue>;

interface Before {
  readonly sequence: number;
  readonly values: Values | undefined;
}

export const versionKey = ({ type, documentId, locale, status }: RowVersion): string =>
  JSON.stringify([type.number, documentId, locale, status]);

export class VersionValues {
  readonly #storage: Storage;
  /** Of each version, in the order of the entries. */
  readonly #before = new Map<string, Before[]>();
  readonly #now = new Map<string, Values | undefined>();

  constructor(storage: Storage, { tables }: StoredLinks, entries: readonly Entry[]) {
    this.#storage = storage;
    for (const [sequence, event, source, , documentId, locale, status, , , before] of entries) {
      if (event !== events.update && event !== events.delete) continue;
      const type = tables.get(source);
      if (type?.modelType !== "contentType") continue;
      const key = versionKey({ type, documentId, locale, status });
      this.#before.getOrInsertComputed(key, () => []).push({ sequence, values: toValues(type, before) });
    }
  }

  /** Before the first change at an entry or after it. */
  before = (version: RowVersion, sequence: number): Values | undefined =>
    this.#before.get(versionKey(version))?.find((each) => each.sequence >= sequence)?.values;

  /** After an entry; those that it had last, if it is gone; undefined if they are not known. */
  at(version: RowVersion, sequence: number): Values | undefined {
    const before = this.#before.get(versionKey(version))?.findLast((each) => each.sequence <= sequence);
    return this.after(version, sequence) ?? before?.values;
  }

  /** After an entry; undefined if they are not known, or there is no such version. */
  after(version: RowVersion, sequence: number): Values | undefined {
    const key = versionKey(version);
    const next = this.#before.get(key)?.find((each) => each.sequence > sequence);
    return next ? next.values : this.#now.getOrInsertComputed(key, () => this.#read(version));
  }

  #read({ type, documentId, locale, status }: RowVersion): Values | undefined {
    const values = literals(valueColumns(type).short);
    const sql = `SELECT ${values} FROM ${quote(type.name)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    const row = this.#storage.first(sql, [documentId, locale, status]);
    return row && toValues(type, row as StoredValue[]);
  }
}

/** The values of versions of documents at each of some entries of triggers, which record what there was before. */
import { type ChangedRows, versionKey } from "./changed-rows.ts";
import { events } from "./triggers.ts";
import { toValues, type Values } from "./values.ts";
import type { Entry, RowVersion } from "./versions.ts";

interface Before {
  readonly sequence: number;
  readonly values: Values | undefined;
}

export class VersionValues {
  readonly #rows: ChangedRows;
  /** Of each version, in the order of the entries. */
  readonly #before = new Map<string, Before[]>();

  constructor(rows: ChangedRows, entries: readonly Entry[]) {
    this.#rows = rows;
    for (const [sequence, event, source, , documentId, locale, status, , , before] of entries) {
      if (event !== events.update && event !== events.delete) continue;
      const type = rows.links.tables.get(source);
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
    const next = this.#before.get(versionKey(version))?.find((each) => each.sequence > sequence);
    return next ? next.values : this.#rows.valuesNow(version);
  }
}

/** The documents that have changed since an earlier state of the database. */
import type { Storage } from "../storage.ts";
import { changeLog, lastSequence } from "./change-log.ts";
import { type ChangeKind, changeKinds } from "./kinds.ts";
import { type NumberedTable, storedLinks } from "./stored-links.ts";
import { buildKey, type ChangedVersion, readVersions } from "./versions.ts";

export interface VersionChange extends Pick<ChangedVersion, "locale" | "status"> {
  readonly kind: ChangeKind;
}

export interface ChangedDocument {
  /** The content-type's uid. */
  readonly type: string;
  readonly documentId: string;
  /** Of the last change. */
  readonly sequence: number;
  readonly versions: readonly VersionChange[];
}

export interface Changes {
  /** To be passed for the next ones. */
  readonly sequence: number;
  /** There are more already. */
  readonly hasMore: boolean;
  /** In the order of their last changes. */
  readonly documents: readonly ChangedDocument[];
  /** Uids of content-types of which any document may have changed, and be gone or new. */
  readonly types: readonly string[];
}

/** As stored by `prune`. An empty document id: of the whole type, or of a status of it. */
export type Compacted = readonly [
  source: number,
  document: string,
  locale: string,
  status: string,
  sequence: number,
  own: number,
  born: number,
  inserted: number,
];

/** The columns of a `Compacted`. */
export const COLUMNS = "source, document, locale, status, sequence, own, born, inserted";

// versions that changed with one entry have its sequence in common
const COMPACTED = `SELECT ${COLUMNS} FROM galley_changed WHERE sequence > ?1 AND sequence <=
  (SELECT max(sequence) FROM (SELECT sequence FROM galley_changed WHERE sequence > ?1 ORDER BY sequence LIMIT ?2))`;

export const toVersion = (type: NumberedTable, row: Compacted): ChangedVersion => {
  const [, documentId, locale, status, sequence, own, born, inserted] = row;
  return { type, documentId, locale: locale || null, status, sequence, own, born, inserted };
};

class Collected {
  readonly #versions = new Map<string, ChangedVersion>();
  readonly types = new Set<string>();

  add(version: ChangedVersion): void {
    const { type, documentId, locale, status } = version;
    const key = buildKey(type, documentId, locale, status);
    const earlier = this.#versions.get(key);
    if (!earlier) return void this.#versions.set(key, version);
    this.#versions.set(key, {
      ...version,
      own: Math.max(earlier.own, version.own),
      born: earlier.own === 0 || version.born < 0 ? version.born : earlier.born,
      inserted: Math.max(earlier.inserted, version.inserted),
    });
  }

  addCompacted(tables: ReadonlyMap<number, NumberedTable>, rows: readonly Compacted[]): void {
    for (const row of rows) {
      const type = tables.get(row[0]);
      if (!type) continue;
      if (row[1] === "") this.types.add(type.uid);
      else this.add(toVersion(type, row));
    }
  }

  documents(storage: Storage, since: number): ChangedDocument[] {
    const kinds = changeKinds(storage, [...this.#versions.values()], since);
    const groups = Map.groupBy(this.#versions.values(), ({ type, documentId }) => buildKey(type, documentId));
    const documents = [...groups.values()].map((versions): ChangedDocument => {
      const { type, documentId } = versions[0]!;
      return {
        type: type.uid,
        documentId,
        sequence: Math.max(...versions.map(({ sequence }) => sequence)),
        versions: versions.map((version) => {
          const { locale, status } = version;
          return { locale, status, kind: kinds.get(version)! };
        }),
      };
    });
    return documents.sort((a, b) => a.sequence - b.sequence);
  }
}

/**
 * Undefined if the log does not know the state of `since`: it is of another log. Types with changes that are no longer known are among
 * the `types`. `since`: a `lastSequence` or `Changes.sequence` of this log, or 0 for its beginning. `limit`: entries to read, about; a
 * document has several. Expects an enabled log.
 */
export function changesSince(storage: Storage, since: number, limit = 10_000): Changes | undefined {
  const log = changeLog(storage);
  if (!log) throw new Error("The change log is not enabled");
  if (since > lastSequence(storage)) return undefined;
  const { tables } = storedLinks(storage);
  const collected = new Collected();
  let sequence = Math.max(since, log.compacted);
  let hasMore = false;
  if (since < log.compacted) {
    const rows = storage.all(COMPACTED, [since, limit]) as unknown as Compacted[];
    collected.addCompacted(tables, rows);
    hasMore = rows.length >= limit;
    if (hasMore) sequence = Math.max(...rows.map((row) => row[4]));
  }
  if (!hasMore) {
    const read = readVersions(storage, sequence, limit);
    for (const version of read.versions) collected.add(version);
    for (const type of read.types.keys()) collected.types.add(type.uid);
    ({ sequence, hasMore } = read);
  }
  return { sequence, hasMore, documents: collected.documents(storage, since), types: [...collected.types] };
}

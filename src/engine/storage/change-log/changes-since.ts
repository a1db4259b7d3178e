/** The documents that have changed since an earlier state of the database. */
import type { Storage } from "../storage.ts";
import { changeLog, lastSequence } from "./change-log.ts";
import { type NumberedTable, storedLinks } from "./stored-links.ts";
import { type ChangedVersion, type ChangeKind, readVersions } from "./versions.ts";

export interface VersionChange extends Pick<ChangedVersion, "locale" | "status" | "kind"> {}

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

/** As stored by `prune`. An empty document id: of the whole type. */
export type Compacted = readonly [
  source: number,
  document: string,
  locale: string,
  status: string,
  kind: string,
  sequence: number,
];

// versions that changed with one entry have its sequence in common
const COMPACTED = `SELECT source, document, locale, status, kind, sequence FROM galley_changed WHERE sequence > ?1 AND sequence <=
  (SELECT max(sequence) FROM (SELECT sequence FROM galley_changed WHERE sequence > ?1 ORDER BY sequence LIMIT ?2))`;

/** What links to a document shows less than what has changed before. */
const strongerKind = (earlier: ChangeKind, later: ChangeKind): ChangeKind => (later === "link" ? earlier : later);

class Collected {
  readonly #versions = new Map<string, ChangedVersion>();
  readonly types = new Set<string>();

  add(version: ChangedVersion): void {
    const { type, documentId, locale, status } = version;
    const key = JSON.stringify([type.number, documentId, locale, status]);
    const earlier = this.#versions.get(key);
    this.#versions.set(key, earlier ? { ...version, kind: strongerKind(earlier.kind, version.kind) } : version);
  }

  addCompacted(tables: ReadonlyMap<number, NumberedTable>, rows: readonly Compacted[]): void {
    for (const [source, documentId, locale, status, kind, sequence] of rows) {
      const type = tables.get(source);
      if (!type) continue;
      if (documentId === "") this.types.add(type.uid);
      else this.add({ type, documentId, locale: locale || null, status, kind: kind as ChangeKind, sequence });
    }
  }

  documents(): ChangedDocument[] {
    const groups = Map.groupBy(this.#versions.values(), ({ type, documentId }) =>
      JSON.stringify([type.number, documentId]),
    );
    const documents = [...groups.values()].map((versions): ChangedDocument => {
      const { type, documentId } = versions[0]!;
      return {
        type: type.uid,
        documentId,
        sequence: Math.max(...versions.map(({ sequence }) => sequence)),
        versions: versions.map(({ locale, status, kind }) => ({ locale, status, kind })),
      };
    });
    return documents.sort((a, b) => a.sequence - b.sequence);
  }
}

/**
 * Undefined if the log does not know what has changed since: it is older than what is kept, or of another log. `since`: a
 * `lastSequence` or `Changes.sequence` of this log, or 0 for its beginning. `limit`: entries to read, about; a document has several.
 * Expects an enabled log.
 */
export function changesSince(storage: Storage, since: number, limit = 10_000): Changes | undefined {
  const log = changeLog(storage);
  if (!log) throw new Error("The change log is not enabled");
  if (since < log.forgotten || since > lastSequence(storage)) return undefined;
  const { tables } = storedLinks(storage);
  const collected = new Collected();
  let sequence = Math.max(since, log.compacted);
  let hasMore = false;
  if (since < log.compacted) {
    const rows = storage.all(COMPACTED, [since, limit]) as unknown as Compacted[];
    collected.addCompacted(tables, rows);
    hasMore = rows.length >= limit;
    if (hasMore) sequence = Math.max(...rows.map((row) => row[5]));
  }
  if (!hasMore) {
    const read = readVersions(storage, sequence, limit);
    for (const version of read.versions) collected.add(version);
    for (const type of read.types.keys()) collected.types.add(type.uid);
    ({ sequence, hasMore } = read);
  }
  return { sequence, hasMore, documents: collected.documents(), types: [...collected.types] };
}

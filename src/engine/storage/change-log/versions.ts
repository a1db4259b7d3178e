/** What the entries of triggers say of versions of documents. */
import type { Storage } from "../storage.ts";
import { linksTo, type NumberedTable, type StoredLinks, storedLinks, versionsOf } from "./stored-links.ts";
import { countValueColumns, events } from "./triggers.ts";
import { literals, recordedColumns, type StoredValue } from "./values.ts";

export interface RowVersion {
  readonly type: NumberedTable;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: string;
}

export interface ChangedVersion extends RowVersion {
  /** Of the last change, of whatever kind. */
  readonly sequence: number;
  /** Of the last write of its own row or its components; 0: only links of it or to it changed, possibly because of other documents. */
  readonly own: number;
  /** Of the write that made the version, if that was the first that is known of it; otherwise 0, or -1 once a row of it was deleted. */
  readonly born: number;
  /** Of the last insertion of its row; 0: none. A version is replaced by another row. */
  readonly inserted: number;
}

export interface ChangedVersions {
  /** Of the last entry that was read. */
  readonly sequence: number;
  /** There are more entries. */
  readonly hasMore: boolean;
  readonly versions: readonly ChangedVersion[];
  /** Content-types of which any document may have changed, and the sequence of that. */
  readonly types: ReadonlyMap<NumberedTable, number>;
  readonly entries: readonly Entry[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The sequences of a row's last change: of any, and of one that belongs to its document. */
type Changed = Pick<ChangedVersion, "sequence" | "own">;

const ownChange = (sequence: number): Changed => ({ sequence, own: sequence });
const linkChange = (sequence: number): Changed => ({ sequence, own: 0 });
const NEVER = linkChange(0);

class ChangedRows {
  readonly #byTable = new Map<NumberedTable, Map<number, Changed>>();

  /** Returns whether this is news. */
  add(table: NumberedTable, row: number, { sequence, own }: Changed): boolean {
    const rows = this.#byTable.getOrInsertComputed(table, () => new Map());
    const known = rows.get(row) ?? NEVER;
    if (known.sequence >= sequence && known.own >= own) return false;
    rows.set(row, { sequence: Math.max(known.sequence, sequence), own: Math.max(known.own, own) });
    return true;
  }

  /** Removes and returns what there is. */
  take(): readonly (readonly [NumberedTable, ReadonlyMap<number, Changed>])[] {
    const taken = [...this.#byTable];
    this.#byTable.clear();
    return taken;
  }
}

export const buildKey = ({ number }: NumberedTable, ...version: readonly (string | null)[]): string =>
  JSON.stringify([number, ...version]);

class Reader {
  readonly #storage: Storage;
  readonly #links: StoredLinks;
  readonly #versions = new Map<string, Mutable<ChangedVersion>>();
  /** Rows that own links or components which have changed. */
  readonly #owners = new ChangedRows();
  /** Rows of components that are no longer among the owners. */
  readonly #followed = new ChangedRows();
  /** Ends of links that have changed. */
  readonly #targets = new ChangedRows();
  /** Updated rows of documents, with the versions that they were. */
  readonly #updates = new Map<NumberedTable, Map<number, { sequence: number; readonly versions: Set<string> }>>();
  /** Rows of documents that are new or gone, or of another version than before: links to them may be older, or left. */
  readonly #ends = new ChangedRows();
  readonly types = new Map<NumberedTable, number>();

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#links = storedLinks(storage);
  }

  add([sequence, event, source, row, documentId, locale, status, target, kind]: Entry): void {
    if (event === events.link || event === events.unlink) return this.#addLink(source, row, sequence, target, kind);
    const table = this.#links.tables.get(source);
    if (!table || event === events.replaceBegin || event === events.replaceEnd) return;
    if (event === events.all) {
      for (const type of this.#links.typesWith(table)) this.types.set(type, sequence);
    } else if (table.modelType === "component") {
      this.#owners.add(table, row, ownChange(sequence));
      if (event === events.update) this.#owners.add(table, target, ownChange(sequence));
    } else {
      this.#addEvent(event, table, documentId, locale, status, sequence);
      if (event === events.update)
        this.#addUpdate(table, row, target, sequence, buildKey(table, documentId, locale, status));
      else this.#ends.add(table, row, linkChange(sequence));
    }
  }

  #addEvent(event: number, ...[type, documentId, locale, status, sequence]: VersionAt): void {
    const version = this.#readVersion(type, documentId, locale, status, linkChange(sequence));
    if (event === events.insert) {
      if (version.own === 0) version.born = sequence;
      version.inserted = sequence;
    } else if (event === events.delete) version.born = -1;
    version.own = sequence;
  }

  #addUpdate(table: NumberedTable, row: number, before: number, sequence: number, version: string): void {
    const updates = this.#updates.getOrInsertComputed(table, () => new Map());
    const update = updates.getOrInsertComputed(row, () => ({ sequence, versions: new Set<string>() }));
    update.sequence = sequence;
    update.versions.add(version);
    if (row !== before) for (const id of [row, before]) this.#ends.add(table, id, linkChange(sequence));
  }

  #addLink(source: number, owner: number, sequence: number, target: number, kind: number): void {
    const field = this.#links.fields.get(source);
    if (!field) return;
    this.#owners.add(field.owner, owner, field.holdsComponents ? ownChange(sequence) : linkChange(sequence));
    const table = field.target ?? this.#links.tables.get(kind);
    if (table && field.isShownBy(table)) this.#targets.add(table, target, linkChange(sequence));
  }

  #readVersion(
    type: NumberedTable,
    documentId: string,
    locale: string | null,
    status: string,
    { sequence, own }: Changed,
  ): Mutable<ChangedVersion> {
    const version = this.#versions.getOrInsertComputed(buildKey(type, documentId, locale, status), () => ({
      ...{ type, documentId, locale, status, sequence, own, born: 0, inserted: 0 },
    }));
    version.sequence = Math.max(version.sequence, sequence);
    version.own = Math.max(version.own, own);
    return version;
  }

  /** The rows that link to rows of a table count as changed; a document's components are its own. */
  #addOwners(table: NumberedTable, rows: ReadonlyMap<number, Changed>): void {
    for (const [number, owner, target] of linksTo(this.#storage, this.#links, table, [...rows.keys()])) {
      const field = this.#links.fields.get(number)!;
      const changed = rows.get(target)!;
      this.#owners.add(field.owner, owner, field.holdsComponents ? changed : linkChange(changed.sequence));
    }
  }

  /** Adds the versions of rows that exist. A row that is gone has an entry of its own. */
  #addVersions(table: NumberedTable, rows: ReadonlyMap<number, Changed>): void {
    for (const [id, documentId, locale, status] of versionsOf(this.#storage, table, [...rows.keys()]))
      this.#readVersion(table, documentId, locale, status, rows.get(id)!);
  }

  /** Rows that are of another document, locale or status than before are new there. */
  #addMoved(): void {
    for (const [table, updates] of this.#updates) {
      for (const [id, documentId, locale, status] of versionsOf(this.#storage, table, [...updates.keys()])) {
        const version = [documentId, locale, status] as const;
        const { sequence, versions } = updates.get(id)!;
        if (versions.size === 1 && versions.has(buildKey(table, ...version))) continue;
        this.#addEvent(events.insert, table, ...version, sequence);
        this.#ends.add(table, id, linkChange(sequence));
      }
    }
  }

  #resolve(): void {
    this.#addMoved();
    for (const [table, rows] of this.#ends.take()) this.#addOwners(table, rows);
    const documents = new ChangedRows();
    for (let owners = this.#owners.take(); owners.length > 0; owners = this.#owners.take()) {
      for (const [table, rows] of owners) {
        const changed = table.modelType === "component" ? this.#followed : documents;
        const news = new Map([...rows].filter(([row, change]) => changed.add(table, row, change)));
        if (table.modelType === "component" && news.size > 0) this.#addOwners(table, news);
      }
    }
    for (const [table, rows] of [...documents.take(), ...this.#targets.take()]) this.#addVersions(table, rows);
  }

  versions(): readonly ChangedVersion[] {
    this.#resolve();
    return [...this.#versions.values()];
  }
}

type VersionAt = readonly [
  type: NumberedTable,
  documentId: string,
  locale: string | null,
  status: string,
  sequence: number,
];

/** Entries of triggers leave columns null that others have. `before`: the values of a document's row that was updated or deleted. */
export type Entry = readonly [
  sequence: number,
  event: number,
  source: number,
  row: number,
  documentId: string,
  locale: string | null,
  status: string,
  target: number,
  kind: number,
  before: readonly StoredValue[],
];

const COLUMNS = "sequence, event, source, row, document, locale, status, target, kind";

export function readEntries(storage: Storage, since: number, limit: number): readonly Entry[] {
  // most entries have none
  const values = `iif(recorded > 0, json_array(${literals(recordedColumns(countValueColumns(storage)))}), NULL)`;
  const sql = `SELECT ${COLUMNS}, recorded, ${values} FROM galley_changes WHERE sequence > ? ORDER BY sequence LIMIT ?`;
  return storage.all(sql, [since, limit]).map((row) => {
    const [before, recorded] = [row.pop() as string | null, row.pop() as number];
    row.push(before === null ? [] : JSON.parse(before).slice(0, recorded));
    return row as unknown as Entry;
  });
}

/** Reads up to `limit` entries after `since`. */
export function readVersions(storage: Storage, since: number, limit: number): ChangedVersions {
  const entries = readEntries(storage, since, limit);
  const reader = new Reader(storage);
  for (const entry of entries) reader.add(entry);
  const versions = reader.versions();
  return {
    sequence: entries.at(-1)?.[0] ?? since,
    hasMore: entries.length === limit,
    versions,
    types: reader.types,
    entries,
  };
}

/** What the entries of triggers say of versions of documents. */
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { type NumberedTable, type StoredLinks, storedLinks } from "./stored-links.ts";
import { events } from "./triggers.ts";

/**
 * `create`: since the entries were compacted last; for who knew the version before, it is an update. `link`: no value of the document changed,
 * but what it shows of others that link to it.
 */
export type ChangeKind = "create" | "update" | "publish" | "unpublish" | "delete" | "link";

export interface ChangedVersion {
  readonly type: NumberedTable;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: string;
  readonly kind: ChangeKind;
  /** Of the last change. */
  readonly sequence: number;
}

export interface ChangedVersions {
  /** Of the last entry that was read. */
  readonly sequence: number;
  /** There are more entries. */
  readonly hasMore: boolean;
  readonly versions: readonly ChangedVersion[];
  /** Content-types of which any document may have changed, and the sequence of that. */
  readonly types: ReadonlyMap<NumberedTable, number>;
}

interface VersionState extends Pick<ChangedVersion, "type" | "documentId" | "locale" | "status"> {
  sequence: number;
  /** Events; empty: only rows or links of its components changed. */
  readonly rows: number[];
  isLinkedOnly: boolean;
}

/** Sequences of the last changes of rows. */
class ChangedRows {
  readonly #byTable = new Map<NumberedTable, Map<number, number>>();

  /** Returns whether this is news. */
  add(table: NumberedTable, row: number, sequence: number): boolean {
    const rows = this.#byTable.getOrInsertComputed(table, () => new Map());
    if ((rows.get(row) ?? 0) >= sequence) return false;
    rows.set(row, sequence);
    return true;
  }

  /** Removes and returns what there is. */
  take(): readonly (readonly [NumberedTable, ReadonlyMap<number, number>])[] {
    const taken = [...this.#byTable];
    this.#byTable.clear();
    return taken;
  }
}

const buildKey = ({ number }: NumberedTable, ...version: readonly (string | null)[]): string =>
  JSON.stringify([number, ...version]);

const formatIds = (rows: Iterable<unknown>): string => JSON.stringify([...rows]);

class Reader {
  readonly #storage: Storage;
  readonly #links: StoredLinks;
  readonly #versions = new Map<string, VersionState>();
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
    if (event === events.link) return this.#addLink(source, row, sequence, target, kind);
    const table = this.#links.tables.get(source);
    if (!table) return;
    if (event === events.all) {
      for (const type of this.#links.typesWith(table)) this.types.set(type, sequence);
    } else if (table.modelType === "component") {
      this.#owners.add(table, row, sequence);
      if (event === events.update) this.#owners.add(table, target, sequence);
    } else {
      this.#readState(table, documentId, locale, status, sequence).rows.push(event);
      if (event === events.update)
        this.#addUpdate(table, row, target, sequence, buildKey(table, documentId, locale, status));
      else this.#ends.add(table, row, sequence);
    }
  }

  #addUpdate(table: NumberedTable, row: number, before: number, sequence: number, version: string): void {
    const updates = this.#updates.getOrInsertComputed(table, () => new Map());
    const update = updates.getOrInsertComputed(row, () => ({ sequence, versions: new Set<string>() }));
    update.sequence = sequence;
    update.versions.add(version);
    if (row !== before) for (const id of [row, before]) this.#ends.add(table, id, sequence);
  }

  #addLink(source: number, owner: number, sequence: number, target: number, kind: number): void {
    const field = this.#links.fields.get(source);
    if (!field) return;
    this.#owners.add(field.owner, owner, sequence);
    const table = field.target ?? this.#links.tables.get(kind);
    if (table && field.isShownBy(table)) this.#targets.add(table, target, sequence);
  }

  #readState(
    type: NumberedTable,
    documentId: string,
    locale: string | null,
    status: string,
    sequence: number,
  ): VersionState {
    const state = this.#versions.getOrInsertComputed(buildKey(type, documentId, locale, status), () => ({
      ...{ type, documentId, locale, status, sequence, rows: [], isLinkedOnly: false },
    }));
    state.sequence = Math.max(state.sequence, sequence);
    return state;
  }

  /** The rows that link to rows of a table count as changed. */
  #addOwners(table: NumberedTable, rows: ReadonlyMap<number, number>): void {
    const sql = `SELECT l.field, l.owner, l.target FROM json_each(?) f CROSS JOIN json_each(?) r CROSS JOIN galley_links l
      ON l.field = f.value ->> 0 AND l.target = r.value AND l.kind = f.value ->> 1`;
    const fields = JSON.stringify(this.#links.fieldsTo(table));
    for (const [field, owner, target] of this.#storage.all(sql, [fields, formatIds(rows.keys())]) as number[][])
      this.#owners.add(this.#links.fields.get(field!)!.owner, owner!, rows.get(target!)!);
  }

  /** Of rows that exist. */
  #readVersions({ name }: NumberedTable, rows: Iterable<number>): readonly RowVersion[] {
    const sql = `SELECT id, document_id, locale, status FROM ${quote(name)} WHERE id IN (SELECT value FROM json_each(?))`;
    return this.#storage.all(sql, [formatIds(rows)]) as unknown as RowVersion[];
  }

  /** Adds the versions of rows that exist. A row that is gone has an entry of its own. */
  #addVersions(table: NumberedTable, rows: ReadonlyMap<number, number>, isLinkedOnly: boolean): void {
    for (const [id, ...version] of this.#readVersions(table, rows.keys())) {
      const isKnown = this.#versions.has(buildKey(table, ...version));
      const state = this.#readState(table, ...version, rows.get(id)!);
      if (!isKnown) state.isLinkedOnly = isLinkedOnly;
    }
  }

  /** Rows that are of another document, locale or status than before are new there. */
  #addMoved(): void {
    for (const [table, updates] of this.#updates) {
      for (const [id, ...version] of this.#readVersions(table, updates.keys())) {
        const { sequence, versions } = updates.get(id)!;
        if (versions.size === 1 && versions.has(buildKey(table, ...version))) continue;
        this.#readState(table, ...version, sequence).rows.push(events.insert);
        this.#ends.add(table, id, sequence);
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
        const news = new Map([...rows].filter(([row, sequence]) => changed.add(table, row, sequence)));
        if (table.modelType === "component" && news.size > 0) this.#addOwners(table, news);
      }
    }
    for (const [table, rows] of documents.take()) this.#addVersions(table, rows, false);
    for (const [table, rows] of this.#targets.take()) this.#addVersions(table, rows, true);
  }

  versions(): ChangedVersion[] {
    this.#resolve();
    const exists = this.#existing();
    return [...this.#versions.values()].map(({ rows, isLinkedOnly, ...state }) => {
      const { type, documentId, locale, status } = state;
      const isPublication = status === "published" && type.draftAndPublish;
      const kind = (): ChangeKind => {
        if (isLinkedOnly) return "link";
        if (rows.length > 0 && !exists.has(buildKey(type, documentId, locale, status)))
          return isPublication && exists.has(buildKey(type, documentId, locale, "draft")) ? "unpublish" : "delete";
        if (!rows.includes(events.insert)) return "update";
        // a version is replaced by another row
        return isPublication ? "publish" : rows.includes(events.delete) ? "update" : "create";
      };
      return { ...state, kind: kind() };
    });
  }

  /** The keys of all versions of documents with changed rows. */
  #existing(): ReadonlySet<string> {
    const keys = new Set<string>();
    const changed = [...this.#versions.values()].filter(({ rows }) => rows.length > 0);
    for (const [type, states] of Map.groupBy(changed, (state) => state.type)) {
      const sql = `SELECT document_id, locale, status FROM ${quote(type.name)} WHERE document_id IN (SELECT value FROM json_each(?))`;
      const ids = formatIds(new Set(states.map(({ documentId }) => documentId)));
      for (const version of this.#storage.all(sql, [ids])) keys.add(buildKey(type, ...(version as string[])));
    }
    return keys;
  }
}

type RowVersion = readonly [id: number, documentId: string, locale: string | null, status: string];

/** In the order of `SELECT`. Entries of triggers leave columns null that others have. */
type Entry = readonly [
  sequence: number,
  event: number,
  source: number,
  row: number,
  documentId: string,
  locale: string | null,
  status: string,
  target: number,
  kind: number,
];

const SELECT = `SELECT sequence, event, source, row, document, locale, status, target, kind FROM galley_changes
  WHERE sequence > ? ORDER BY sequence LIMIT ?`;

/** Reads up to `limit` entries after `since`. */
export function readVersions(storage: Storage, since: number, limit: number): ChangedVersions {
  const entries = storage.all(SELECT, [since, limit]) as unknown as Entry[];
  const reader = new Reader(storage);
  for (const entry of entries) reader.add(entry);
  const versions = reader.versions();
  return { sequence: entries.at(-1)?.[0] ?? since, hasMore: entries.length === limit, versions, types: reader.types };
}

/** Which versions of documents the rows are of that entries of triggers name, also rows that are gone. */
import type { Storage } from "../storage.ts";
import { type Field, linksTo, type NumberedTable, type StoredLinks, storedLinks, versionsOf } from "./stored-links.ts";
import { events } from "./triggers.ts";
import type { Entry } from "./versions.ts";

export interface RowVersion {
  readonly type: NumberedTable;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: string;
}

/** A part of a document: the attribute of its type that leads there. */
export interface PartOf {
  readonly version: RowVersion;
  readonly attribute: string;
  /** The numbers of the attributes that lead there, from the document on. */
  readonly path: readonly number[];
}

interface Holder {
  readonly field: Field;
  readonly row: number;
}

const isLink = (event: number): boolean => event === events.link || event === events.unlink;

/** By table and row: ids of rows are never used again. */
class ByRow<T> {
  readonly #tables = new Map<NumberedTable, Map<number, T>>();

  get = (table: NumberedTable, row: number): T | undefined => this.#tables.get(table)?.get(row);

  of(table: NumberedTable, row: number, create: () => T): T {
    return this.#tables.getOrInsertComputed(table, () => new Map()).getOrInsertComputed(row, create);
  }

  get tables(): Iterable<readonly [NumberedTable, ReadonlyMap<number, T>]> {
    return this.#tables;
  }
}

export class ChangedRows {
  readonly #storage: Storage;
  readonly links: StoredLinks;
  /** Of rows of content-types; several if a write has moved the row. */
  readonly #versions = new ByRow<Map<string, RowVersion>>();
  /** Of rows of components. */
  readonly #holders = new ByRow<Holder[]>();

  constructor(storage: Storage, entries: readonly Entry[]) {
    this.#storage = storage;
    this.links = storedLinks(storage);
    const components = new ByRow<true>();
    for (const entry of entries) this.#note(entry, components);
    this.#readHolders(components);
    for (const [table, rows] of this.#versions.tables) this.#readVersions(table, [...rows.keys()]);
  }

  #note([, event, source, row, documentId, locale, status, target, kind]: Entry, components: ByRow<true>): void {
    if (isLink(event)) {
      const field = this.links.fields.get(source);
      if (!field) return;
      const to = this.targetTable(field, kind);
      if (field.owner.modelType === "component") components.of(field.owner, row, () => true);
      else this.#versionsOf(field.owner, row);
      if (to?.modelType === "contentType") this.#versionsOf(to, target);
      else if (to) this.#addHolder(to, target, { field, row });
      return;
    }
    const table = this.links.tables.get(source);
    if (!table || event > events.delete) return;
    if (table.modelType === "component") components.of(table, row, () => true);
    else this.#addVersion(table, row, documentId, locale, status);
  }

  #versionsOf = (table: NumberedTable, row: number): Map<string, RowVersion> =>
    this.#versions.of(table, row, () => new Map());

  #addVersion(type: NumberedTable, row: number, ...version: readonly [string, string | null, string]): void {
    const [documentId, locale, status] = version;
    this.#versionsOf(type, row).set(JSON.stringify(version), { type, documentId, locale, status });
  }

  #addHolder(table: NumberedTable, row: number, holder: Holder): void {
    const holders = this.#holders.of(table, row, () => []);
    if (!holders.some(({ field, row }) => field === holder.field && row === holder.row)) holders.push(holder);
    if (holder.field.owner.modelType === "contentType") this.#versionsOf(holder.field.owner, holder.row);
  }

  /** Follows components up to their documents, by links as they are now, and those of the entries. */
  #readHolders(first: ByRow<true>): void {
    const seen = new ByRow<true>();
    let next = first;
    for (let more = true; more; ) {
      const above = new ByRow<true>();
      more = false;
      for (const [table, rows] of next.tables) {
        const news = [...rows.keys()].filter((row) => seen.get(table, row) === undefined);
        for (const row of news) seen.of(table, row, () => true);
        for (const [number, owner, row] of linksTo(this.#storage, table, news))
          this.#addHolder(table, row, { field: this.links.fields.get(number)!, row: owner });
        for (const row of news) {
          for (const { field, row: owner } of this.#holders.get(table, row) ?? []) {
            if (field.owner.modelType !== "component") continue;
            above.of(field.owner, owner, () => true);
            more = true;
          }
        }
      }
      next = above;
    }
  }

  #readVersions(table: NumberedTable, rows: readonly number[]): void {
    for (const [id, ...version] of versionsOf(this.#storage, table, rows)) this.#addVersion(table, id, ...version);
  }

  targetTable = (field: Field, kind: number): NumberedTable | undefined => field.target ?? this.links.tables.get(kind);

  /** The links that a row of a content-type has now. */
  linksFrom(table: NumberedTable, row: number): readonly (readonly [field: number, target: number, kind: number])[] {
    const fields = [...this.links.fields].flatMap(([number, { owner }]) => (owner === table ? [number] : []));
    const sql = `SELECT l.field, l.target, l.kind FROM json_each(?) f CROSS JOIN galley_links l ON l.field = f.value AND l.owner = ?`;
    return this.#storage.all(sql, [JSON.stringify(fields), row]) as unknown as [number, number, number][];
  }

  /** What a row of a content-type is, or was. */
  versions(table: NumberedTable, row: number): readonly RowVersion[] {
    if (!this.#versions.get(table, row)) this.#readVersions(table, [row]);
    return [...(this.#versions.get(table, row)?.values() ?? [])];
  }

  /** The documents that a row is a part of. `path`: the attribute of the row, if it is a document, and those from it on. */
  owners(table: NumberedTable, row: number, path: readonly number[], seen = new Set<string>()): readonly PartOf[] {
    if (table.modelType === "contentType") {
      const attribute = this.links.fields.get(path[0]!)!.name;
      return this.versions(table, row).map((version) => ({ version, attribute, path }));
    }
    const key = `${table.number} ${row}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return (this.#holders.get(table, row) ?? []).flatMap(({ field, row: owner }) =>
      this.owners(field.owner, owner, [field.number, ...path], seen),
    );
  }
}

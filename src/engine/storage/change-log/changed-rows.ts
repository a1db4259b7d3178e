/** Which versions of documents the rows are of that entries of triggers name, also rows that are gone. */
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import {
  type Field,
  linksFrom,
  linksTo,
  type NumberedTable,
  type StoredLinks,
  storedLinks,
  versionsOf,
} from "./stored-links.ts";
import { events } from "./triggers.ts";
import { literals, type StoredValue, toValues, type Values, valueColumns } from "./values.ts";
import type { Entry, RowVersion } from "./versions.ts";

/** Only document ids may have spaces. */
export const versionKey = ({ type, documentId, locale, status }: RowVersion): string =>
  `${type.number} ${status} ${locale ?? ""} ${documentId}`;

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

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  get tables(): Iterable<readonly [NumberedTable, ReadonlyMap<number, T>]> {
    return this.#tables;
  }
}

/** A link as it is stored now. */
type StoredLink = readonly [field: number, owner: number, target: number, kind: number];

export class ChangedRows {
  readonly #storage: Storage;
  readonly links: StoredLinks;
  /** Of rows of content-types; several if a write has moved the row. */
  readonly #versions = new ByRow<Map<string, RowVersion>>();
  /** Of those whose versions now are not read yet. */
  #unread = new ByRow<true>();
  /** Of versions as they are now. */
  readonly #values = new Map<string, Values | undefined>();
  /** Of rows of components. */
  readonly #holders = new ByRow<Holder[]>();
  /** Rows of content-types that are new or gone. */
  readonly #ends = new ByRow<true>();
  #linksOfEnds: ByRow<StoredLink[]> | undefined;
  /** The last entry that has added a link. */
  readonly #added = new Map<string, number>();

  constructor(storage: Storage, entries: readonly Entry[]) {
    this.#storage = storage;
    this.links = storedLinks(storage);
    const components = new ByRow<true>();
    for (const entry of entries) this.#note(entry, components);
    this.#readHolders(components);
    this.#readVersions();
  }

  #note(
    [sequence, event, source, row, documentId, locale, status, target, kind]: Entry,
    components: ByRow<true>,
  ): void {
    if (isLink(event)) {
      const link = [source, row, target, kind] as const;
      if (event === events.link) this.#added.set(link.join(" "), sequence);
      return this.#noteLink(link, components);
    }
    const table = this.links.tables.get(source);
    if (!table || event > events.delete) return;
    if (table.modelType === "component") components.of(table, row, () => true);
    else {
      this.#addVersion(row, { type: table, documentId, locale, status });
      if (event !== events.update) this.#ends.of(table, row, () => true);
    }
  }

  #noteLink([number, row, target, kind]: StoredLink, components: ByRow<true>): void {
    const field = this.links.fields.get(number);
    if (!field) return;
    const to = this.targetTable(field, kind);
    if (field.owner.modelType === "component") components.of(field.owner, row, () => true);
    else this.#versionsOf(field.owner, row);
    if (to?.modelType === "contentType") this.#versionsOf(to, target);
    else if (to) this.#addHolder(to, target, { field, row });
  }

  #versionsOf = (table: NumberedTable, row: number): Map<string, RowVersion> =>
    this.#versions.of(table, row, () => {
      this.#unread.of(table, row, () => true);
      return new Map();
    });

  /** Returns its key. */
  #addVersion(row: number, version: RowVersion): string {
    const key = versionKey(version);
    this.#versionsOf(version.type, row).set(key, version);
    return key;
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
        for (const [number, owner, row] of linksTo(this.#storage, this.links, table, news))
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

  #readVersions(): void {
    const unread = this.#unread;
    if (unread.isEmpty) return;
    this.#unread = new ByRow();
    for (const [type, rows] of unread.tables) {
      const found = versionsOf(this.#storage, type, [...rows.keys()], valueColumns(type).short);
      for (const [id, documentId, locale, status, ...values] of found) {
        const key = this.#addVersion(id, { type, documentId, locale, status });
        this.#values.set(key, toValues(type, values));
      }
    }
  }

  /** Of a version as it is now; undefined if it is not there. */
  valuesNow(version: RowVersion): Values | undefined {
    return this.#values.getOrInsertComputed(versionKey(version), () => this.#readValues(version));
  }

  #readValues({ type, documentId, locale, status }: RowVersion): Values | undefined {
    const sql = `SELECT ${literals(valueColumns(type).short)} FROM ${quote(type.name)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    const row = this.#storage.first(sql, [documentId, locale, status]);
    return row && toValues(type, row as StoredValue[]);
  }

  targetTable = (field: Field, kind: number): NumberedTable | undefined => field.target ?? this.links.tables.get(kind);

  /**
   * The links now of a row that is new or gone with an entry, without those that have a later entry. They are read for all such rows at
   * once.
   */
  linksOf(table: NumberedTable, row: number, sequence: number): readonly StoredLink[] {
    this.#linksOfEnds ??= this.#readLinksOfEnds();
    const links = this.#linksOfEnds.get(table, row) ?? [];
    return links.filter((link) => (this.#added.get(link.join(" ")) ?? 0) < sequence);
  }

  #readLinksOfEnds(): ByRow<StoredLink[]> {
    const found = new ByRow<StoredLink[]>();
    const components = new ByRow<true>();
    const add = (table: NumberedTable, row: number, link: StoredLink): void => {
      found.of(table, row, () => []).push(link);
      this.#noteLink(link, components);
    };
    for (const [table, ends] of this.#ends.tables) {
      const rows = [...ends.keys()];
      for (const [field, owner, row] of linksTo(this.#storage, this.links, table, rows))
        add(table, row, [field, owner, row, this.links.fields.get(field)!.target ? 0 : table.number]);
      for (const [field, row, target, kind] of linksFrom(this.#storage, this.links, table, rows))
        add(table, row, [field, row, target, kind]);
    }
    this.#readHolders(components);
    this.#readVersions();
    return found;
  }

  /** What a row of a content-type is, or was. */
  versions(table: NumberedTable, row: number): readonly RowVersion[] {
    const versions = this.#versionsOf(table, row);
    this.#readVersions();
    return [...versions.values()];
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

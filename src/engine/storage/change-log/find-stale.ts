/**
 * Which cache tags writes have made stale, by the entries of their triggers. Each entry counts, also if later ones have taken it back: an
 * answer may be of the state in between. Only what is inside of a replacement counts as a whole.
 */
import { FILE, PERMISSION, ROLE } from "../../schema/builtin/index.ts";
import {
  attributePart,
  documentPart,
  LINKS,
  LIST,
  linkedValuePart,
  linkOf,
  ROW_IDS,
  type TagPart,
  valuePart,
} from "../cache-tags.ts";
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { ChangedRows, type PartOf, type RowVersion } from "./changed-rows.ts";
import type { Field, NumberedTable } from "./stored-links.ts";
import { events } from "./triggers.ts";
import { CREATED, parseValues, readValue, type StoredValue, valueColumns, valuesSql } from "./values.ts";
import type { Entry } from "./versions.ts";

/** In the order of the columns of `galley_stale`. No source: of every answer. No locale: an empty text. The sequence is that of the last entry. */
export type StaleTag = readonly [
  source: number,
  part: TagPart,
  locale: string,
  status: string,
  cause: number,
  sequence: number,
];

/** `cause`: the number of a type, or 0. */
export const allStale = (sequence: number, cause = 0): StaleTag => [0, "", "", "", cause, sequence];

type Values = ReadonlyMap<string, StoredValue>;

/** A link that entries add and remove in turn. */
interface ChangedLink {
  readonly owners: readonly PartOf[];
  readonly ownsByRow: boolean;
  readonly field: Field;
  readonly targets: readonly RowVersion[];
  readonly sequence: number;
  added: number;
}

/** The attribute of files that shows what links to them. */
const USES = "related";

const PERMISSIONS: ReadonlySet<string> = new Set([PERMISSION, ROLE]);

const versionKey = ({ type, documentId, locale, status }: RowVersion): string =>
  JSON.stringify([type.number, documentId, locale, status]);

/** Whether one row was deleted, and another one created, which is behind the others. */
const isReplaced = ([first, second, ...more]: readonly Entry[]): boolean =>
  first?.[1] === events.delete && second?.[1] === events.insert && more.length === 0 && first[3] < second[3];

class Finder {
  readonly #storage: Storage;
  readonly #rows: ChangedRows;
  readonly #tags = new Map<string, StaleTag>();
  /** Of the entry that is looked at. */
  #sequence = 0;
  /** Of each version, in the order of the entries: what its values were before each change of them. */
  readonly #before = new Map<string, { readonly sequence: number; readonly values: Values | undefined }[]>();
  readonly #now = new Map<string, Values | undefined>();

  constructor(storage: Storage, entries: readonly Entry[]) {
    this.#storage = storage;
    this.#rows = new ChangedRows(storage, entries);
    for (const entry of entries) this.#noteBefore(entry);
  }

  tags(): StaleTag[] {
    return [...this.#tags.values()];
  }

  #add({ type, locale, status }: RowVersion, part: TagPart, cause = type.number): void {
    this.#set([type.number, part, locale ?? "", status, cause, this.#sequence]);
  }

  #set(tag: StaleTag): void {
    this.#tags.set(JSON.stringify(tag.slice(0, -1)), tag);
  }

  #noteBefore([sequence, event, source, , documentId, locale, status, , , before]: Entry): void {
    if (event !== events.update && event !== events.delete) return;
    const type = this.#rows.links.tables.get(source);
    if (type?.modelType !== "contentType") return;
    const key = versionKey({ type, documentId, locale, status });
    const values = before === null ? undefined : parseValues(type, before);
    this.#before.getOrInsertComputed(key, () => []).push({ sequence, values });
  }

  /** The values of a version after an entry; undefined if they are not known, or there is none. */
  #valuesAfter(version: RowVersion, sequence: number): Values | undefined {
    const key = versionKey(version);
    const next = this.#before.get(key)?.find((before) => before.sequence > sequence);
    return next ? next.values : this.#now.getOrInsertComputed(key, () => this.#readValues(version));
  }

  #readValues({ type, documentId, locale, status }: RowVersion): Values | undefined {
    const sql = `SELECT ${valuesSql(type)} FROM ${quote(type.name)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    const row = this.#storage.first(sql, [documentId, locale, status]);
    return row && parseValues(type, row[0] as string);
  }

  #addValues(version: RowVersion, values: Values | undefined, columns: Iterable<string> = values?.keys() ?? []): void {
    for (const column of columns) {
      const value = column === CREATED ? undefined : readValue(values?.get(column) ?? "NULL");
      if (value !== undefined) this.#add(version, valuePart(column, value));
    }
  }

  #compare(version: RowVersion, before: Values | undefined, after: Values | undefined): void {
    const { short, long } = valueColumns(version.type);
    // without the values of either, any may have changed
    const changed = short.filter((column) => !before || !after || before.get(column) !== after.get(column));
    for (const column of [...changed, ...long]) this.#add(version, attributePart(column));
    this.#addValues(version, before, changed);
    this.#addValues(version, after, changed);
  }

  #addDocument(version: RowVersion): void {
    this.#add(version, documentPart(version.documentId));
    const { links = [], uid } = version.type;
    this.#addLinks(version, [...links.map(({ name }) => name), ...(uid === FILE ? [USES] : [])]);
  }

  #addLinks(version: RowVersion, attributes: readonly string[], cause?: number): void {
    const document = documentPart(version.documentId);
    for (const link of [LINKS, ...attributes.map(linkOf)]) this.#add(version, document + link, cause);
  }

  /** By values of what an attribute leads to. */
  #addLinkedValues(version: RowVersion, name: string, to: RowVersion, sequence: number): void {
    this.#add(version, valuePart(name, to.documentId), to.type.number);
    for (const [column, stored] of this.#valuesAfter(to, sequence) ?? []) {
      const value = column === CREATED ? undefined : readValue(stored);
      if (value !== undefined) this.#add(version, linkedValuePart(name, column, value), to.type.number);
    }
  }

  /** A version that is new or gone. */
  #appear(version: RowVersion, values: Values | undefined): void {
    this.#addDocument(version);
    for (const part of [LIST, ROW_IDS]) this.#add(version, part);
    this.#addValues(version, values);
  }

  #addPart({ version, attribute }: PartOf, cause?: number): void {
    this.#addLinks(version, [attribute], cause);
    this.#add(version, attributePart(attribute), cause);
  }

  /** Returns what a link is between, with which other entries for the same are compared. */
  #readLink([sequence, event, source, row, , , , target, kind]: Entry):
    | readonly [key: string, link: ChangedLink]
    | undefined {
    const field = this.#rows.links.fields.get(source);
    const table = field && this.#rows.targetTable(field, kind);
    if (!field || !table) return undefined;
    const owners = this.#rows.owners(field.owner, row, field.name);
    const targets = table.modelType === "component" ? [] : this.#rows.versions(table, target);
    const ends = [owners.map(({ version }) => versionKey(version)), targets.map(versionKey)];
    const key = JSON.stringify([source, targets.length === 0 ? [row, target] : ends]);
    const added = event === events.link ? 1 : -1;
    return [key, { owners, ownsByRow: field.owner.modelType === "contentType", field, targets, sequence, added }];
  }

  #addLink({ owners, ownsByRow, field, targets, sequence }: ChangedLink): void {
    const cause = targets[0]?.type.number;
    for (const owner of owners) {
      this.#addPart(owner, cause);
      for (const target of ownsByRow ? targets : [])
        this.#addLinkedValues(owner.version, owner.attribute, target, sequence);
    }
    for (const target of targets) {
      if (!field.isShownBy(target.type)) continue;
      for (const { version } of owners) {
        const names = field.inverses(target.type);
        this.#addLinks(target, target.type.uid === FILE ? [...names, USES] : names, version.type.number);
        for (const name of names) {
          this.#add(target, attributePart(name), version.type.number);
          this.#addLinkedValues(target, name, version, sequence);
        }
      }
    }
  }

  /** Entries that are seen as a whole. */
  addReplacement(entries: readonly Entry[]): void {
    const links = new Map<string, ChangedLink>();
    const rows = new Map<string, { readonly version: RowVersion; readonly entries: Entry[] }>();
    for (const entry of entries) {
      const [, event, source, , documentId, locale, status] = entry;
      const type = this.#rows.links.tables.get(source);
      if (event === events.link || event === events.unlink) {
        const [key, link] = this.#readLink(entry) ?? [];
        const same = key === undefined ? undefined : links.get(key);
        if (same) same.added += link!.added;
        else if (link) links.set(key!, link);
      } else if (event <= events.delete && type?.modelType === "contentType" && event !== events.update) {
        const version = { type, documentId, locale, status };
        rows.getOrInsertComputed(versionKey(version), () => ({ version, entries: [] })).entries.push(entry);
      } else this.add(entry);
    }
    for (const { entries: own } of rows.values()) if (!isReplaced(own)) for (const entry of own) this.add(entry);
    this.#sequence = entries.at(-1)![0];
    for (const [key, { version, entries: own }] of rows) {
      if (!isReplaced(own)) continue;
      this.#addDocument(version);
      this.#add(version, ROW_IDS);
      const before = this.#before.get(key)?.find(({ sequence }) => sequence >= entries[0]![0]);
      this.#compare(version, before?.values, this.#valuesAfter(version, this.#sequence));
    }
    for (const link of links.values()) {
      // a component is another row each time
      if (link.added !== 0 || link.targets.length === 0) this.#addLink(link);
    }
  }

  add(entry: Entry): void {
    this.#sequence = entry[0];
    const [sequence, event, source, row, documentId, locale, status, target, , before] = entry;
    const table = this.#rows.links.tables.get(source);
    if (event === events.link || event === events.unlink) {
      const [, link] = this.#readLink(entry) ?? [];
      if (link) this.#addLink(link);
    } else if (event === events.all || (table && PERMISSIONS.has(table.uid))) this.#addEverything(table);
    else if (table?.modelType === "component")
      for (const part of this.#rows.owners(table, row, "")) this.#addPart(part);
    else if (table && event <= events.delete) {
      const version = { type: table, documentId, locale, status };
      if (event === events.update) this.#addUpdate(version, row, sequence, before, target);
      else {
        const values = event === events.insert ? this.#valuesAfter(version, sequence) : parse(table, before);
        this.#appear(version, values);
        this.#addLinksTo(table, row);
      }
    }
  }

  #addUpdate(version: RowVersion, row: number, sequence: number, before: string | null, rowBefore: number): void {
    const versions = this.#rows.versions(version.type, row);
    const values = parse(version.type, before);
    if (versions.length > 1 || row !== rowBefore) for (const each of versions) this.#appear(each, values);
    this.#addDocument(version);
    this.#compare(version, values, this.#valuesAfter(version, sequence));
  }

  /** Links that there are to a row that was not there before, or is gone. */
  #addLinksTo(table: NumberedTable, row: number): void {
    for (const [number, owner] of this.#rows.linksTo(table, [row])) {
      const field = this.#rows.links.fields.get(number)!;
      for (const { version } of this.#rows.owners(field.owner, owner, field.name))
        this.#addLinks(version, [field.name], table.number);
    }
  }

  #addEverything(table: NumberedTable | undefined): void {
    this.#set(allStale(this.#sequence, table?.number));
  }
}

const parse = (table: NumberedTable, values: string | null): Values | undefined =>
  values === null ? undefined : parseValues(table, values);

/** In any order. */
export function findStale(storage: Storage, entries: readonly Entry[]): StaleTag[] {
  const finder = new Finder(storage, entries);
  let replacement: Entry[] | undefined;
  /** Also of a replacement without an end: it did not happen, or its end is among later entries. */
  const addPending = (): void => {
    for (const entry of replacement ?? []) finder.add(entry);
  };
  for (const entry of entries) {
    const [, event] = entry;
    if (event === events.replaceBegin) {
      addPending();
      replacement = [];
    } else if (event === events.replaceEnd) {
      if (replacement && replacement.length > 0) finder.addReplacement(replacement);
      replacement = undefined;
    } else if (replacement) replacement.push(entry);
    else finder.add(entry);
  }
  addPending();
  return finder.tags();
}

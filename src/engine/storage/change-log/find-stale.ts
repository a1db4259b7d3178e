/**
 * Which cache tags writes have made stale, by the entries of their triggers. Each entry counts, also if later ones have taken it back: an
 * answer may be of the state in between. Only what is inside of a replacement counts as a whole.
 */
import { ACCESS } from "../../../lib/cache-tags.ts";
import { FILE, PERMISSION, ROLE } from "../../schema/builtin/index.ts";
import {
  attributePart,
  changedValuePart,
  documentPart,
  LIST,
  linkedValuePart,
  linkOf,
  ROW_IDS,
  type TagPart,
  TIMES,
  valuePart,
} from "../cache-tags.ts";
import type { Storage } from "../storage.ts";
import { ChangedRows, type PartOf, versionKey } from "./changed-rows.ts";
import { joinParts, USES, wholeDocumentPart } from "./joined-parts.ts";
import type { Field, NumberedTable } from "./stored-links.ts";
import { events } from "./triggers.ts";
import { CREATED, readValue, type StoredValue, toValues, type Values, valueColumns } from "./values.ts";
import { VersionValues } from "./version-values.ts";
import type { Entry, RowVersion } from "./versions.ts";

/**
 * In the order of the columns of `galley_stale`. No source: the tags of every answer. No locale: an empty text. The sequence is that of the
 * last entry.
 */
export type StaleTag = readonly [
  source: number,
  part: TagPart,
  locale: string,
  status: string,
  cause: Cause,
  sequence: number,
];

/** The number of a type, or 0; behind it those of the attributes by which a link leads from a document to one of the type, with spaces. */
export type Cause = number | string;

export const allStale = (sequence: number, cause = 0): StaleTag => [0, "", "", "", cause, sequence];

/** A link that entries add and remove in turn. */
interface ChangedLink {
  readonly owners: readonly PartOf[];
  readonly ownsByRow: boolean;
  readonly field: Field;
  readonly targets: readonly RowVersion[];
  readonly sequence: number;
  added: number;
}

const PERMISSIONS: ReadonlySet<string> = new Set([PERMISSION, ROLE]);

/** Of a link, as one of its ends shows it: that of a draft, if either is one. */
const statusOfLink = (at: RowVersion, other: RowVersion): string => (other.status === "draft" ? "draft" : at.status);

/** Whether one row was deleted, and another one created, which is behind the others. */
const isReplaced = ([first, second, ...more]: readonly Entry[]): boolean =>
  first?.[1] === events.delete && second?.[1] === events.insert && more.length === 0 && first[3] < second[3];

class Finder {
  readonly #rows: ChangedRows;
  readonly #values: VersionValues;
  readonly #tags = new Map<string, StaleTag>();
  /** Of the entry that is looked at. */
  #sequence = 0;

  constructor(storage: Storage, entries: readonly Entry[]) {
    this.#rows = new ChangedRows(storage, entries);
    this.#values = new VersionValues(this.#rows, entries);
  }

  tags(): StaleTag[] {
    return [...this.#tags.values()];
  }

  #add({ type, locale, status }: RowVersion, part: TagPart, cause: Cause = type.number): void {
    this.#set([type.number, part, locale ?? "", status, cause, this.#sequence]);
  }

  #set(tag: StaleTag): void {
    const [source, part, locale, status, cause] = tag;
    // only the parts have other spaces than between numbers
    this.#tags.set(`${source} ${locale} ${status} ${cause} ${part}`, tag);
  }

  /** The parts of values by column; `columns`: those of `values`, if not given. */
  #valueParts(values: Values | undefined, createPart: typeof valuePart, columns?: readonly string[]): TagPart[] {
    const parts: TagPart[] = [];
    for (const column of columns ?? values?.keys() ?? []) {
      const stored = column === CREATED ? undefined : values?.get(column);
      const value = stored === undefined ? undefined : readValue(stored);
      // a document without a value is new or gone with its list
      if (value === undefined || (value === null && createPart !== changedValuePart)) continue;
      parts.push(createPart(column, value));
    }
    return parts;
  }

  /** A document with all that it shows, and values of it. */
  #addDocument(version: RowVersion, valueParts: readonly TagPart[]): void {
    this.#add(version, joinParts([wholeDocumentPart(version.documentId), ...valueParts]));
  }

  /** A version that is the same document as before. */
  #addChanged(version: RowVersion, before: Values | undefined, after: Values | undefined): void {
    const { short, long } = valueColumns(version.type);
    // without the values of either, any may have changed
    const changed = short.filter((column) => !before || !after || before.get(column) !== after.get(column));
    for (const column of [...changed, ...long, ...TIMES]) this.#add(version, attributePart(column));
    const parts = [before, after].flatMap((values) => this.#valueParts(values, changedValuePart, changed));
    this.#addDocument(version, parts);
  }

  #addLinks(version: RowVersion, attributes: readonly string[], cause?: Cause): void {
    const document = documentPart(version.documentId);
    for (const name of attributes) this.#add(version, document + linkOf(name), cause);
  }

  /** By values of what an attribute leads to. */
  #addLinkedValues(version: RowVersion, name: string, to: RowVersion, sequence: number): void {
    const createPart: typeof valuePart = (...value) => linkedValuePart(name, ...value);
    const parts = this.#valueParts(this.#values.at(to, sequence), createPart);
    this.#add(version, joinParts([valuePart(name, to.documentId), ...parts]), to.type.number);
  }

  /** A version that is new or gone, or a row of another one has become it or was it. */
  #appear(version: RowVersion, values: Values | undefined, createPart = valuePart): void {
    this.#addDocument(version, this.#valueParts(values, createPart));
    for (const part of [LIST, ROW_IDS]) this.#add(version, part);
  }

  #addPart({ version, attribute }: PartOf): void {
    this.#addLinks(version, [attribute]);
    this.#add(version, attributePart(attribute));
  }

  #createLink(field: Field, row: number, to: NumberedTable, target: number, sequence: number, added = 0): ChangedLink {
    const owners = this.#rows.owners(field.owner, row, [field.number]);
    const targets = to.modelType === "component" ? [] : this.#rows.versions(to, target);
    return { owners, ownsByRow: field.owner.modelType === "contentType", field, targets, sequence, added };
  }

  /** Returns what a link is between, with which other entries for the same are compared. */
  #readLink([sequence, event, source, row, , , , target, kind]: Entry):
    | readonly [key: string, link: ChangedLink]
    | undefined {
    const field = this.#rows.links.fields.get(source);
    const table = field && this.#rows.targetTable(field, kind);
    if (!field || !table) return undefined;
    const link = this.#createLink(field, row, table, target, sequence, event === events.link ? 1 : -1);
    const { owners, targets } = link;
    const ends = [owners.map(({ version }) => versionKey(version)), targets.map(versionKey)];
    const key = JSON.stringify([source, targets.length === 0 ? [row, target] : ends]);
    return [key, link];
  }

  #addLink({ owners, ownsByRow, field, targets, sequence }: ChangedLink): void {
    if (PERMISSIONS.has(field.owner.uid)) this.#addAccess(field.owner);
    for (const owner of owners) {
      if (targets.length === 0) this.#addPart(owner);
      for (const target of targets) this.#addLinkBetween(field, owner, target, ownsByRow, sequence);
    }
  }

  #addLinkBetween(
    field: Field,
    { version: owner, attribute, path }: PartOf,
    target: RowVersion,
    ownsByRow: boolean,
    sequence: number,
  ): void {
    // relations to several types show either version
    const shown = field.target ? { ...owner, status: statusOfLink(owner, target) } : owner;
    const cause = [target.type.number, ...path].join(" ");
    this.#addLinks(shown, [attribute], cause);
    this.#add(owner, attributePart(attribute), cause);
    if (ownsByRow) this.#addLinkedValues(owner, attribute, target, sequence);
    if (!field.isShownBy(target.type)) return;
    const names = field.inverses(target.type);
    if (target.type.uid === FILE) this.#addLinks(target, [USES], [owner.type.number, ...path].join(" "));
    this.#addLinks({ ...target, status: statusOfLink(target, owner) }, names, owner.type.number);
    for (const name of names) {
      this.#add(target, attributePart(name), owner.type.number);
      this.#addLinkedValues(target, name, owner, sequence);
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
    for (const { version, entries: own } of rows.values()) {
      if (!isReplaced(own)) continue;
      this.#add(version, ROW_IDS);
      const before = this.#values.before(version, entries[0]![0]);
      this.#addChanged(version, before, this.#values.after(version, this.#sequence));
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
    } else if (event === events.all) this.#set(allStale(sequence, table?.number));
    else if (table && PERMISSIONS.has(table.uid)) this.#addAccess(table);
    else if (table?.modelType === "component")
      for (const part of this.#rows.owners(table, row, [])) this.#addPart(part);
    else if (table && event <= events.delete) {
      const version = { type: table, documentId, locale, status };
      if (event === events.update) this.#addUpdate(version, row, sequence, before, target);
      else {
        const values = event === events.insert ? this.#values.after(version, sequence) : toValues(table, before);
        this.#appear(version, values);
        this.#addLinksOf(version, row, sequence);
      }
    }
  }

  #addUpdate(
    version: RowVersion,
    row: number,
    sequence: number,
    before: readonly StoredValue[],
    rowBefore: number,
  ): void {
    const versions = this.#rows.versions(version.type, row);
    const values = toValues(version.type, before);
    if (versions.length > 1 || row !== rowBefore)
      for (const each of versions) this.#appear(each, values, changedValuePart);
    this.#addChanged(version, values, this.#values.after(version, sequence));
  }

  /** Links that there are of a row that was not there before, or is gone. */
  #addLinksOf({ type }: RowVersion, row: number, sequence: number): void {
    for (const [number, owner, target, kind] of this.#rows.linksOf(type, row, sequence)) {
      const field = this.#rows.links.fields.get(number)!;
      const table = this.#rows.targetTable(field, kind);
      if (table) this.#addLink(this.#createLink(field, owner, table, target, sequence));
    }
  }

  #addAccess({ number }: NumberedTable): void {
    this.#set([0, ACCESS, "", "", number, this.#sequence]);
  }
}

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

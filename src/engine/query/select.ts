/** The columns to select, and the mapping from a row to an object. */

import type { Budget } from "../../lib/budget.ts";
import type { ScalarType, SqlValue } from "../attributes/index.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";
import type { Populate, Query } from "./tree.ts";

/** Maps the rows of a query to objects, with their size in the response. */
export function rowLoader(query: Query): RowMapper {
  const { mapRow } = createSelection(query.schema, query.fields);
  const values = countValues(query);
  const repeats = query.weight?.repeats ?? 1;
  return (row, offset) => {
    const loaded = mapRow(row, offset);
    loaded.values = values;
    loaded.characters *= repeats;
    return loaded;
  };
}

/** The same for rows that are kept: all requests get the same document, which must not be changed. */
export function keptRowLoader(query: Query): (kept: KeptRow) => LoadedRow {
  const { mapRow } = createSelection(query.schema, query.fields);
  const values = countValues(query);
  const repeats = query.weight?.repeats ?? 1;
  return (kept) => {
    kept.loaded ??= mapRow(kept.row, 0);
    const { document, characters } = kept.loaded;
    return { document, values, characters: characters * repeats, copies: 0 };
  };
}

/** The number of values per row in the response. */
export const countValues = ({ fields, populate, weight }: Query): number =>
  weight?.values ?? fields.length + populate.length + 2;

/** Takes the rows of the page from the budget. Throws a ValidationError beyond it. */
export function chargeRows(budget: Budget, rows: Iterable<LoadedRow>): void {
  let values = 0;
  let characters = 0;
  for (const row of rows) {
    row.copies = 1;
    values += row.values;
    characters += row.characters;
  }
  budget.take("values", values);
  budget.take("characters", characters);
}

const NONE: readonly LoadedRow[] = [];

/** A relation to one may lead to several locales of a document. Unless they are sorted, Strapi shows the one that was created first. */
function shownOne(documents: readonly Document[], { attribute, query }: Populate): Document | null {
  const [first = null] = documents;
  if (documents.length < 2) return first;
  const isOrdered = attribute.kind !== "relation" || attribute.link.polymorphic || (query?.sort.length ?? 0) > 0;
  if (isOrdered) return first;
  return documents.reduce((oldest, other) => ((other.id as number) < (oldest.id as number) ? other : oldest));
}

/**
 * Adds its children to each parent, and takes them from the budget as often as the parent is returned under each key. Throws a
 * ValidationError beyond the budget.
 */
export function attachChildren(
  budget: Budget,
  parents: readonly LoadedRow[],
  children: ReadonlyMap<number, readonly LoadedRow[]>,
  item: Populate,
): void {
  const { attribute, key, sameKeys } = item;
  const times = 1 + (sameKeys?.length ?? 0);
  let values = 0;
  let characters = 0;
  for (const { document, copies: ofParent } of parents) {
    const ownChildren = children.get(document.id as number) ?? NONE;
    const copies = times * ofParent;
    const documents: Document[] = [];
    for (const child of ownChildren) {
      child.copies += copies;
      values += copies * child.values;
      characters += copies * child.characters;
      documents.push(child.document);
    }
    const value = attribute.many ? documents : shownOne(documents, item);
    document[key] = value;
    if (sameKeys) for (const same of sameKeys) document[same] = value;
  }
  budget.take("values", values);
  budget.take("characters", characters);
}

/**
 * Takes what the response to a caller without credentials has at another path or under another key, too. `place`: where other
 * rows count as the same ones. Throws a ValidationError beyond the budget.
 */
export function chargeRepeated(
  budget: Budget,
  { schema, weight }: Query,
  rows: readonly LoadedRow[],
  place: "page" | "level",
): void {
  if (!budget.isPublic) return;
  const underOtherKeys = 1 - 1 / (weight?.repeats ?? 1);
  const returned = budget.returned(`${place} ${schema.uid}`);
  let repeated = 0;
  for (const { document, copies, characters } of rows) {
    const isFirst = returned.size < returned.add(document.id as number).size;
    repeated += copies * characters * (isFirst ? underOtherKeys : 1);
  }
  budget.take("publicCharacters", repeated);
}

/** A document or component as it is returned, before populated attributes are added. */
export type Document = Record<string, unknown>;

export interface LoadedRow {
  readonly document: Document;
  /** Its size in the response, without populated attributes: number of values, and characters. */
  values: number;
  characters: number;
  /** How often it is returned. */
  copies: number;
}

/** A row that is kept for further requests, and what was made of it. */
export interface KeptRow {
  readonly row: Row;
  loaded: LoadedRow | undefined;
}

/** A key of the object; undefined: its value is returned as it is stored. */
interface Property {
  readonly name: string;
  readonly attribute: ScalarAttribute | undefined;
}

/** Maps a row to an object and counts its characters; `at` is the index of its first value in the row. */
export type RowMapper = (row: Row, at: number) => LoadedRow;

export interface Selection {
  /** The columns of the row `t`, for SELECT. */
  readonly columns: string;
  readonly mapRow: RowMapper;
}

const selectionsBySchema = new WeakMap<Schema, WeakMap<readonly ScalarAttribute[], Selection>>();

function build(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const columns = ["t.id"];
  const properties: Property[] = [{ name: "id", attribute: undefined }];
  if (schema.modelType === "contentType") {
    columns.push("t.document_id");
    properties.push({ name: "documentId", attribute: undefined });
  }
  for (const attribute of fields) {
    const { name, column, type } = attribute;
    const quoted = `t.${quote(column)}`;
    columns.push(type.column.read?.(quoted) ?? quoted);
    properties.push({ name, attribute });
  }
  return { columns: columns.join(", "), mapRow: createRowMapper(schema, properties) };
}

/** Cached by the identity of `fields`: default fields and prepared operations pass the same array each time. */
export function createSelection(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const selections = selectionsBySchema.getOrInsertComputed(schema, () => new WeakMap());
  return selections.getOrInsertComputed(fields, () => build(schema, fields));
}

/** Compiling a mapper takes as long as mapping some hundred rows, so it pays after this many. */
const ROWS_BEFORE_COMPILING = 400;

function createRowMapper(schema: Schema, properties: readonly Property[]): RowMapper {
  // the quotes, colon and comma of each name, and a short value
  const fixed = properties.reduce((sum, { name }) => sum + name.length + 12, 0);
  const mapGenerically: RowMapper = (row, at) => {
    const document: Document = {};
    let characters = fixed;
    for (let i = 0; i < properties.length; i++) {
      const { name, attribute } = properties[i]!;
      const stored = row[at + i]!;
      if (typeof stored === "string") characters += stored.length;
      document[name] = attribute ? loadValue(schema, attribute, row[at] as number, stored) : stored;
    }
    return { document, values: 0, characters, copies: 0 };
  };
  let mapRow = mapGenerically;
  let rows = 0;
  return (row, at) => {
    if (++rows === ROWS_BEFORE_COMPILING) mapRow = compileMapper(properties, fixed, mapGenerically) ?? mapGenerically;
    return mapRow(row, at);
  };
}

/**
 * A mapper with these properties as an object literal: three times as fast, since the engine knows the object's shape.
 * Values that cannot be read are left to `mapGenerically`. Undefined for `__proto__`, which means something else in a literal.
 */
function compileMapper(
  properties: readonly Property[],
  fixed: number,
  mapGenerically: RowMapper,
): RowMapper | undefined {
  if (properties.some(({ name }) => name === "__proto__")) return undefined;
  const values = properties.map((_, i) => `const v${i} = row[at + ${i}];`).join("\n");
  const loads = properties.map(({ attribute }) => attribute?.type.load);
  const lengths = properties.map((_, i) => {
    const blob = loads[i] ? "" : ` else if (typeof v${i} === "object" && v${i} !== null) return unreadable(row, at);`;
    return `if (typeof v${i} === "string") characters += v${i}.length;${blob}`;
  });
  const entries = properties.map(
    ({ name }, i) => `${JSON.stringify(name)}: ${loads[i] ? `loads[${i}](v${i})` : `v${i}`}`,
  );
  const make = new Function(
    "loads",
    "unreadable",
    `return (row, at) => {
      ${values}
      let characters = ${fixed};
      ${lengths.join("\n")}
      try {
        return { document: { ${entries.join(", ")} }, values: 0, characters, copies: 0 };
      } catch {
        return unreadable(row, at);
      }
    };`,
  );
  return make(loads, mapGenerically) as RowMapper;
}

/** Throws an Error for a value that cannot be read. */
function decode({ name, load }: ScalarType, stored: SqlValue): unknown {
  if (load) return load(stored);
  // a blob, which no write of this type stores
  if (typeof stored === "object" && stored !== null) throw new Error(`a ${name} is not stored as bytes`);
  return stored;
}

export function canDecode(type: ScalarType, stored: SqlValue): boolean {
  try {
    decode(type, stored);
    return true;
  } catch {
    return false;
  }
}

/** Logged values per attribute. */
const MAX_LOGGED = 20;

/** Ids of the rows whose values were logged, by type and attribute. */
const logged = new Map<string, Set<number>>();

function report(uid: string, { name, type }: ScalarAttribute, id: number): void {
  const rows = logged.getOrInsertComputed(`${uid} ${name}`, () => new Set());
  if (rows.has(id) || rows.size >= MAX_LOGGED) return;
  rows.add(id);
  const more = rows.size === MAX_LOGGED ? "; further ones of this attribute are not logged" : "";
  console.error(
    `galley: ${uid}, row ${id}: what is stored as "${name}" is not a valid ${type.name}, and is returned as null (galley doctor finds all)${more}`,
  );
}

export function loadValue({ uid }: Schema, attribute: ScalarAttribute, id: number, stored: SqlValue): unknown {
  try {
    return decode(attribute.type, stored);
  } catch {
    report(uid, attribute, id);
    return null;
  }
}

/** Reads stored links, one statement for all attributes of a row, and inserts them, several in a statement. */
import type { SqlValue } from "../attributes/index.ts";
import { type Link, ownsLinks, type Schema } from "../schema/model.ts";
import type { Row, Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import { allAttributes, cachePerSchema, type Linked } from "./removed.ts";

/** The columns of a link as each of its sides sees them. */
export const linkColumns = {
  owner: { near: "owner", far: "target", order: "position", farOrder: "inverse" },
  inverse: { near: "target", far: "owner", order: "inverse", farOrder: "position" },
} as const satisfies Record<Link["side"], Record<string, string>>;

/** Ids of the rows that a row is linked with, in order. */
export function linkedIds(storage: Storage, { field, side }: Link, row: number): number[] {
  const { near, far, order } = linkColumns[side];
  const sql = `SELECT ${far} FROM galley_links WHERE field = +? AND ${near} = +? ORDER BY ${order}, ${far}`;
  return storage.all(sql, [storage.number(field), row]).map(([id]) => id as number);
}

export interface LinkRow {
  readonly field: number;
  readonly owner: number;
  readonly position: number;
  readonly target: number;
  readonly kind: number;
  readonly inverse: number;
  /** See `Link`: the attribute of the target that shows the link, for links of morphToMany relations. */
  readonly targetAttribute: string | null;
}

const toLinkRow = ([field, owner, position, target, kind, inverse, targetAttribute]: Row): LinkRow =>
  ({ field, owner, position, target, kind, inverse, targetAttribute }) as LinkRow;

const COLUMNS = "field, owner, position, target, kind, inverse, target_attribute";

/** `where` may end with ORDER BY. */
export const readLinkRows = (storage: Storage, where: string, params: readonly (string | number)[]): LinkRow[] =>
  storage.all(`SELECT ${COLUMNS} FROM galley_links WHERE ${where}`, params).map(toLinkRow);

/** Runs a statement that inserts links, and returns these. */
const insertLinkRows = (storage: Storage, sql: string, params: readonly SqlValue[]): LinkRow[] =>
  storage.returning(`${sql} RETURNING ${COLUMNS}`, params).map(toLinkRow);

/** The rows of a document, by the id of one of them. `table`: quoted. */
export const documentRows = (table: string): string =>
  `SELECT id FROM ${table} WHERE document_id = (SELECT document_id FROM ${table} WHERE id = ?)`;

/** The condition that a column is one of some ids, and its parameter, with a sign as in `storage/sql.ts`. */
export const among = (ids: readonly (number | string)[]): readonly [condition: string, param: string | number] =>
  ids.length === 1 ? ["= +?", ids[0]!] : ["IN (SELECT value FROM json_each(?))", JSON.stringify(ids)];

/** A table of ids, with the columns `key` and `value`, and its parameter. */
export const listed = (ids: readonly number[]): readonly [table: string, param: string | number] =>
  ids.length === 1 ? ["(SELECT 0 AS key, +? AS value)", ids[0]!] : ["json_each(?)", JSON.stringify(ids)];

/** "?, ?, ?" for as many values. */
export const placeholders = (values: readonly unknown[]): string => Array(values.length).fill("?").join(", ");

/** The links that a row owns: to other rows and to its components. */
export interface OwnLinks {
  /** In order. `field`: the name of the link field. */
  readonly of: (field: string) => readonly LinkRow[];
}

export const NO_OWN_LINKS: OwnLinks = { of: () => [] };

interface OwnFields {
  readonly fields: readonly number[];
  /** See `isOwnLink`. */
  readonly condition: string | undefined;
}

/** SQLite has to build a list, but no range. */
function isAmongFields(fields: readonly number[]): string | undefined {
  if (fields.length === 0) return undefined;
  const [first, last] = [Math.min(...fields), Math.max(...fields)];
  return last - first === fields.length - 1 ? `field BETWEEN ${first} AND ${last}` : `field IN (${fields.join(", ")})`;
}

const findOwnFields = cachePerSchema((linked, schema): OwnFields => {
  const fields = allAttributes(linked, schema).flatMap((attribute) =>
    attribute.kind !== "scalar" && ownsLinks(attribute) ? [linked.storage.number(attribute.link.field)] : [],
  );
  return { fields, condition: isAmongFields(fields) };
});

/** The link fields of a type or component, with those of removed attributes. */
export const ownFields = (context: Linked, schema: Schema): readonly number[] => findOwnFields(context, schema).fields;

/** The condition of links that a type or component owns, but for those of some fields; undefined if there are none. */
export function isOwnLink(context: Linked, schema: Schema, except?: ReadonlySet<number>): string | undefined {
  const { fields, condition } = findOwnFields(context, schema);
  return except ? isAmongFields(fields.filter((field) => !except.has(field))) : condition;
}

/** The links that rows of one type or component own, in one statement. */
export function readOwnLinks(
  context: DocumentsContext,
  schema: Schema,
  rows: readonly number[],
): (row: number) => OwnLinks {
  const { storage } = context;
  const isOwn = isOwnLink(context, schema);
  if (isOwn === undefined || rows.length === 0) return () => NO_OWN_LINKS;
  const [owners, param] = among(rows);
  const where = `owner ${owners} AND ${isOwn} ORDER BY owner, field, position`;
  return groupLinks(storage, readLinkRows(storage, where, [param]));
}

/** As `readOwnLinks`, of links that are known to be all. */
export const pickOwnLinks =
  (links: readonly LinkRow[]): typeof readOwnLinks =>
  (context, schema) => {
    const fields = new Set(ownFields(context, schema));
    const own = links.filter(({ field }) => fields.has(field));
    // SQLite promises no order of what RETURNING returns
    return groupLinks(
      context.storage,
      own.sort((one, other) => one.position - other.position),
    );
  };

/** By their owners. */
function groupLinks(storage: Storage, links: readonly LinkRow[]): (row: number) => OwnLinks {
  if (links.length === 0) return () => NO_OWN_LINKS;
  const byOwner = Map.groupBy(links, ({ owner }) => owner);
  return (row) => {
    const own = byOwner.get(row);
    const linksOf = (number: number) => own!.filter(({ field }) => field === number);
    return own ? { of: (name) => linksOf(storage.number(name)) } : NO_OWN_LINKS;
  };
}

/** Links by their field and their other end, as a map since there may be thousands. */
export type LinksByEnd = ReadonlyMap<string, LinkRow>;
export const NO_LINKS: LinksByEnd = new Map();
export const targetKey = ({ field, target, kind }: Pick<LinkRow, "field" | "target" | "kind">): string =>
  `${field} ${target} ${kind}`;
export const ownerKey = ({ field, owner }: Pick<LinkRow, "field" | "owner">): string => `${field} ${owner}`;

export function firstByEnd(links: readonly LinkRow[], buildKey: (link: LinkRow) => string): LinksByEnd {
  const first = new Map<string, LinkRow>();
  for (const link of links) first.getOrInsert(buildKey(link), link);
  return first;
}

/** Links per statement. Each number of links is a prepared statement of its own. */
export const MAX_PENDING = 8;

/** Without `inverse`: at the end of its target's list. */
type PendingLink = Omit<LinkRow, "inverse"> & Partial<Pick<LinkRow, "inverse">>;

const LAST = "coalesce(?, (SELECT coalesce(max(inverse), 0) + 1 FROM galley_links WHERE field = +? AND target = +?))";

export class PendingLinks {
  readonly #context: DocumentsContext;
  readonly #links: PendingLink[] = [];
  #written: LinkRow[] | undefined;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** From now on, what is written is collected. */
  collect(): void {
    this.#written = [];
  }

  /** To be called before links are written in another way: what is collected would not be all. */
  interrupt(): void {
    this.flush();
    this.#written = undefined;
  }

  /** What was written since `collect`, if it is all. */
  get written(): readonly LinkRow[] | undefined {
    return this.#written;
  }

  /** The database for reading and deleting links, after pending inserts were written. */
  get links(): DocumentsContext["storage"] {
    this.flush();
    return this.#context.storage;
  }

  read(where: string, params: readonly (string | number)[]): LinkRow[] {
    return readLinkRows(this.links, where, params);
  }

  insert(link: PendingLink): void {
    // the last place of a list is found before any of the statement's links is written
    const isSameList = ({ field, target }: PendingLink): boolean => field === link.field && target === link.target;
    if (link.inverse === undefined && this.#links.some(isSameList)) this.flush();
    this.#links.push(link);
    if (this.#links.length === MAX_PENDING) this.flush();
  }

  flush(): void {
    if (this.#links.length === 0) return;
    const hasPlaces = this.#links.every(({ inverse }) => inverse !== undefined);
    const rows = this.#links.map(() => `(?, ?, ?, ?, ?, ${hasPlaces ? "?" : LAST}, ?)`).join(", ");
    const values = this.#links.flatMap(({ field, owner, position, target, kind, inverse, targetAttribute }) => [
      field,
      owner,
      position,
      target,
      kind,
      ...(hasPlaces ? [inverse!] : [inverse ?? null, field, target]),
      targetAttribute,
    ]);
    this.#links.length = 0;
    const sql = `INSERT OR IGNORE INTO galley_links VALUES ${rows}`;
    if (this.#written) this.#written.push(...insertLinkRows(this.#context.storage, sql, values));
    else this.#context.storage.run(sql, values);
  }
}

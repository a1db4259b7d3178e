/** Counts what a schema change would do to the content, without applying it: a dry run of `migrate`. */
import type { SqlValue } from "../attributes/index.ts";
import type { Link } from "../schema/model.ts";
import type { StoredRename } from "./attribute-renames.ts";
import { LAYOUT } from "./catalog.ts";
import { convert, readSql } from "./conversions.ts";
import { type Layout, storedLayout, type Table } from "./layout.ts";
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";
import { getOwn, tableSources } from "./table-sources.ts";

export type EffectKind =
  /** Rows of a type or component are kept but not shown. */
  | "typeHidden"
  /** Values or links of an attribute are kept but not shown. */
  | "attributeHidden"
  /** Values are converted to another type. */
  | "converted"
  /** Values are none of those that an enumeration allows. They are kept and shown. */
  | "outsideEnumeration"
  /** Lists become single values: of several entries, the first is shown. */
  | "listsCut"
  /** Entries of a dynamic zone whose components it no longer has are kept, but cannot be edited. */
  | "entriesHidden"
  /** Values and links move to another name. */
  | "renamed"
  /** Drafts of published documents are kept but not shown. */
  | "draftsHidden"
  /** Documents that were never published become public. */
  | "draftsPublished"
  /** Versions in other locales are kept but not shown. */
  | "localesHidden";

export interface Effect {
  readonly kind: EffectKind;
  readonly uid: string;
  /** The attribute's name; undefined: the whole type. */
  readonly attribute?: string;
  readonly count: number;
  /** For conversions: values that cannot be converted. They are kept but not shown. */
  readonly lost?: number;
  /** Types of an attribute, before and after. */
  readonly types?: readonly [from: string, to: string];
}

/** A list of links that a change makes a single value. */
export interface CutList {
  readonly uid: string;
  readonly attribute: string;
  readonly link: Pick<Link, "field" | "side">;
  /** The table of rows that have it. */
  readonly table: string;
  /** That of the documents that it leads to; undefined for files and components. */
  readonly targets: string | undefined;
}

/** Components that a dynamic zone no longer has. */
export interface RemovedEntries {
  readonly uid: string;
  readonly attribute: string;
  readonly field: string;
  readonly tables: readonly string[];
}

export interface LinkChanges {
  readonly cut: readonly CutList[];
  readonly removed: readonly RemovedEntries[];
}

/** The values that changed enumerations allow, by uid and column. */
export type ChangedEnumerations = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<unknown>>>;

/** Rows per statement. */
const BATCH = 2_000;

const readCount = (storage: Storage, sql: string, values: SqlValue[] = []): number =>
  (storage.first(sql, values)?.[0] as number | undefined) ?? 0;

/** Counts documents, not their versions; components are counted by row. */
const rowCount = ({ modelType }: Table): string =>
  modelType === "contentType" ? "count(DISTINCT document_id)" : "count(*)";

/**
 * Conversions by `changeType`, without values of earlier types. `outside`: values that are none of the `allowed` ones.
 * Other requests are served between two batches.
 */
async function conversions(
  storage: Storage,
  [table, column]: readonly [string, string],
  [from, to]: readonly [string, string],
  allowed?: ReadonlySet<unknown>,
) {
  let count = 0;
  let lost = 0;
  let outside = 0;
  const sql = `SELECT id, ${readSql(column, from)} FROM ${quote(table)} WHERE id > ? AND ${quote(column)} IS NOT NULL
    ORDER BY id LIMIT ${BATCH}`;
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = storage.all(sql, [last]) as [number, SqlValue][];
    for (const [id, value] of rows) {
      last = id;
      count++;
      const converted = from === to ? value : convert(value, from, to);
      if (converted === undefined) lost++;
      else if (allowed && !allowed.has(converted)) outside++;
    }
    if (rows.length < BATCH) return { count, lost, outside };
    await Bun.sleep(0);
  }
}

const linkCount = (storage: Storage, field: string): number =>
  readCount(storage, "SELECT count(*) FROM galley_links WHERE field = (SELECT id FROM galley_names WHERE name = ?)", [
    field,
  ]);

/** Counts lists with more than one entry. Versions of a document are one entry. */
function countCutLists(storage: Storage, { link, table, targets }: CutList): number {
  const [own, other] = link.side === "owner" ? ["owner", "target"] : ["target", "owner"];
  const entry = targets ? `(SELECT o.document_id FROM ${quote(targets)} o WHERE o.id = l.${other})` : `l.${other}`;
  const sql = `SELECT count(*) FROM ${quote(table)} t WHERE (SELECT count(DISTINCT ${entry}) FROM galley_links l
    WHERE l.field = (SELECT id FROM galley_names WHERE name = ?) AND l.${own} = t.id) > 1`;
  return readCount(storage, sql, [link.field]);
}

function countRemovedEntries(storage: Storage, { field, tables }: RemovedEntries): number {
  const kinds = tables.map(() => "?").join();
  const sql = `SELECT count(*) FROM galley_links WHERE field = (SELECT id FROM galley_names WHERE name = ?)
    AND kind IN (SELECT id FROM galley_names WHERE name IN (${kinds}))`;
  return readCount(storage, sql, [field, ...tables]);
}

const attributeOfField = (table: string, field: string): string =>
  field.slice(table.length + 1, field.lastIndexOf(">"));

async function attributeEffects(
  storage: Storage,
  name: string,
  old: Table,
  next: Table,
  renames: readonly StoredRename[],
  enumerations: ChangedEnumerations,
): Promise<Effect[]> {
  const { uid } = old;
  const ownRenames = renames.filter(({ table }) => table === name);
  const columns = new Map(ownRenames.flatMap(({ column }) => (column ? [column] : [])));
  const fields = new Map(ownRenames.flatMap(({ field }) => (field ? [field] : [])));
  const effects: Effect[] = [];
  for (const [column, { type }] of Object.entries(old.columns)) {
    const now = columns.get(column) ?? column;
    const after = getOwn(next.columns, now);
    const allowed = enumerations.get(next.uid)?.get(now);
    const filled = (): number =>
      readCount(storage, `SELECT ${rowCount(old)} FROM ${quote(name)} WHERE ${quote(column)} IS NOT NULL`);
    if (!after) effects.push({ kind: "attributeHidden", uid, attribute: column, count: filled() });
    else if (after.type !== type || allowed) {
      const { outside, ...counts } = await conversions(storage, [name, column], [type, after.type], allowed);
      if (after.type !== type)
        effects.push({ kind: "converted", uid, attribute: now, types: [type, after.type], ...counts });
      effects.push({ kind: "outsideEnumeration", uid, attribute: now, count: outside });
    }
    if (after?.type === type && now !== column) effects.push({ kind: "renamed", uid, attribute: now, count: filled() });
  }
  for (const field of old.fields) {
    const now = fields.get(field) ?? field;
    const attribute = attributeOfField(name, field);
    if (!next.fields.includes(now))
      effects.push({ kind: "attributeHidden", uid, attribute, count: linkCount(storage, field) });
    else if (now !== field)
      effects.push({ kind: "renamed", uid, attribute: attributeOfField(name, now), count: linkCount(storage, field) });
  }
  return effects;
}

function versionEffects(storage: Storage, name: string, old: Table, next: Table, defaultLocale: string): Effect[] {
  const { uid } = old;
  const table = quote(name);
  const effects: Effect[] = [];
  if (old.draftAndPublish && !next.draftAndPublish) {
    const unpublished = readCount(
      storage,
      `SELECT count(DISTINCT document_id) FROM ${table} WHERE status = 'draft' AND NOT EXISTS (SELECT 1 FROM ${table} p
       WHERE p.document_id = ${table}.document_id AND p.locale IS ${table}.locale AND p.status = 'published')`,
    );
    const drafts = readCount(storage, `SELECT count(DISTINCT document_id) FROM ${table} WHERE status = 'draft'`);
    effects.push({ kind: "draftsPublished", uid, count: unpublished });
    effects.push({ kind: "draftsHidden", uid, count: drafts - unpublished });
  }
  if (old.localized && !next.localized) {
    const count = readCount(storage, `SELECT count(*) FROM ${table} WHERE locale IS NOT ?`, [defaultLocale]);
    effects.push({ kind: "localesHidden", uid, count });
  }
  return effects;
}

/** Effects without content are omitted. */
export async function listEffects(
  storage: Storage,
  next: Layout,
  renames: readonly StoredRename[],
  defaultLocale: string,
  enumerations: ChangedEnumerations = new Map(),
  links: LinkChanges = { cut: [], removed: [] },
): Promise<Effect[]> {
  const current: Layout = storedLayout(storage, LAYOUT);
  const continued = new Map([...tableSources(current, current, next)].map(([to, from]) => [from, to]));
  const effects: Effect[] = [];
  for (const [name, old] of Object.entries(current)) {
    const table = getOwn(next, continued.get(name) ?? "");
    if (!table) {
      const count = readCount(storage, `SELECT ${rowCount(old)} FROM ${quote(name)}`);
      effects.push({ kind: "typeHidden", uid: old.uid, count });
      continue;
    }
    effects.push(...(await attributeEffects(storage, name, old, table, renames, enumerations)));
    if (old.modelType === "contentType") effects.push(...versionEffects(storage, name, old, table, defaultLocale));
  }
  for (const list of links.cut) {
    const { uid, attribute } = list;
    effects.push({ kind: "listsCut", uid, attribute, count: countCutLists(storage, list) });
  }
  for (const entries of links.removed) {
    const { uid, attribute } = entries;
    effects.push({ kind: "entriesHidden", uid, attribute, count: countRemovedEntries(storage, entries) });
  }
  return effects.filter(({ count }) => count > 0);
}

/**
 * Reads a stored row in the form of a request's data, to validate it, compare it, or copy it to another row. The data of a clone
 * are merged with what the caller submits.
 */

import type lodash from "lodash";
import { isRecord } from "../../lib/is-record.ts";
import { loadValue } from "../query/select.ts";
import { entrySchema, holdsComponents } from "../schema/entries.ts";
import {
  type Attribute,
  type ContentType,
  contentType,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
} from "../schema/model.ts";
import { INSERT, quote } from "../storage/sql.ts";
import { type ComponentRow, type LinksBelow, linksBelow, listShownComponentRows } from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { among, type LinkRow, linkColumns, linkedIds } from "./link-rows.ts";
import type { Data } from "./rows.ts";

export interface DataScope {
  /** The attributes of the row to read, by default all; components are read completely. */
  readonly includes?: (attribute: Attribute) => boolean;
  /** Links by row id; otherwise by document id. */
  readonly rowLinks?: boolean;
  /** Include the ids of components. */
  readonly componentIds?: boolean;
  /** Include relations that are stored at their other side, if that is of one type. */
  readonly bothSides?: boolean;
  /** Links as a list of entries, or as one entry or null, instead of as `{ set }`. */
  readonly asEntries?: boolean;
  /** Include passwords, as their hashes, which must not be hashed again. */
  readonly hashes?: boolean;
}

/** `below`: the links of the row and of its components, if they were read already. */
export function readData(
  context: DocumentsContext,
  schema: Schema,
  id: number,
  scope: DataScope,
  below = linksBelow(context, new Map([[schema, [id]]])),
): Data {
  const { includes: _, ...ofComponents } = scope;
  const scalars = new Map(
    [...below.rows].map(([at, ids]) => [at, readScalars(context, at, ids, at === schema ? scope : ofComponents)]),
  );
  return assembleData(context, { schema, id }, { below, scalars, ofComponents }, scope);
}

type Rows = ReadonlyMap<number, Data>;

function assembleData(
  context: DocumentsContext,
  { schema, id }: ComponentRow,
  stored: { readonly below: LinksBelow; readonly scalars: ReadonlyMap<Schema, Rows>; readonly ofComponents: DataScope },
  scope: DataScope,
): Data {
  const { includes, rowLinks = false, componentIds = false } = scope;
  const data: Data = { ...stored.scalars.get(schema)?.get(id) };
  const own = stored.below.of(schema, id);
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind === "scalar" || includes?.(attribute) === false) continue;
    if (holdsComponents(attribute)) {
      const entries = listShownComponentRows(context, attribute, own).map((row) => ({
        ...(componentIds ? { id: row.id } : {}),
        ...(attribute.kind === "zone" ? { __component: row.schema.uid } : {}),
        ...assembleData(context, row, stored, stored.ofComponents),
      }));
      data[attribute.name] = attribute.many ? entries : (entries[0] ?? null);
    } else if (attribute.link.field === "") continue;
    else if (attribute.link.side === "owner") {
      const links = own.of(attribute.link.field);
      const entries = rowLinks ? rowTargets(context, attribute, links) : readTargets(context, attribute, links);
      data[attribute.name] = formatLinks(attribute, entries, scope);
    } else if (scope.bothSides && !attribute.link.polymorphic) {
      const entries = linkedIds(context.storage, attribute.link, id).map((target) => ({ id: target }));
      data[attribute.name] = formatLinks(attribute, entries, scope);
    }
  }
  return data;
}

const formatLinks = (
  { many }: { many: boolean },
  entries: readonly Data[],
  { asEntries = false }: DataScope,
): unknown => {
  if (asEntries) return many ? entries : (entries[0] ?? null);
  return !many && entries.length === 0 ? null : { set: entries };
};

interface Scalars {
  readonly attributes: readonly ScalarAttribute[];
  /** Their columns as a list in SQL. */
  readonly columns: string;
}

function listScalars({ attributes }: Schema, { includes, hashes = false }: DataScope): Scalars {
  const read = [...attributes.values()].filter(
    (attribute) =>
      attribute.kind === "scalar" &&
      !attribute.system &&
      (hashes || !attribute.type.isSecret) &&
      includes?.(attribute) !== false,
  ) as ScalarAttribute[];
  const columns = read.map(({ column, type }) => type.column.read?.(quote(column)) ?? quote(column)).join(", ");
  return { attributes: read, columns };
}

/** All scalar attributes of a schema, with and without hashes. */
const allScalars = { true: new WeakMap<Schema, Scalars>(), false: new WeakMap<Schema, Scalars>() };

/** The scalar attributes of rows, by their ids. */
function readScalars({ storage }: DocumentsContext, schema: Schema, ids: readonly number[], scope: DataScope): Rows {
  const { attributes, columns } = scope.includes
    ? listScalars(schema, scope)
    : allScalars[`${scope.hashes ?? false}`].getOrInsertComputed(schema, () => listScalars(schema, scope));
  if (attributes.length === 0) return new Map();
  const [those, param] = among(ids);
  const rows = storage.all(`SELECT id, ${columns} FROM ${quote(schema.table)} WHERE id ${those}`, [param]);
  return new Map(
    rows.map(([id, ...values]) => {
      const data: Record<string, unknown> = Object.create(null);
      for (const [index, attribute] of attributes.entries())
        data[attribute.name] = loadValue(schema, attribute, id as number, values[index]!);
      return [id as number, data];
    }),
  );
}

const typeOfLink = ({ storage, model }: DocumentsContext, { kind }: LinkRow): ContentType | undefined => {
  const table = storage.findName(kind);
  return [...model.types.values()].find((type) => type.table === table);
};

/** The ids of targets, with the type if the relation has several. */
const rowTargets = (
  context: DocumentsContext,
  { target: uid }: RelationAttribute | MediaAttribute,
  links: readonly LinkRow[],
): Data[] => links.map((link) => ({ id: link.target, ...(uid ? {} : { __type: typeOfLink(context, link)?.uid }) }));

function readTargets(
  context: DocumentsContext,
  attribute: RelationAttribute | MediaAttribute,
  links: readonly LinkRow[],
): Data[] {
  const { storage, model } = context;
  return links.flatMap((link) => {
    const { target } = link;
    const type = attribute.target ? contentType(model, attribute.target) : typeOfLink(context, link);
    if (!type) return [];
    const [documentId, locale] =
      storage.first(`SELECT document_id, locale FROM ${quote(type.table)} WHERE id = ?`, [target]) ?? [];
    if (!documentId) return [];
    return [{ documentId, ...(locale ? { locale } : {}), ...(attribute.target ? {} : { __type: type.uid }) }];
  });
}

/** Merges deeply, lists by index, as Strapi does: an empty list changes nothing, and null removes. */
const merge = (into: Data, data: Data): Data => (require("lodash") as typeof lodash).merge(into, data);

const OPERATIONS = ["set", "connect", "disconnect"];

const isOperation = (value: unknown): value is Data => isRecord(value) && OPERATIONS.some((name) => name in value);

/** Whether an operation changes anything. `set` always does, also to nothing. */
const hasEffect = (value: Data): boolean =>
  "set" in value ||
  ["connect", "disconnect"].some((name) => {
    const entries = value[name];
    return Array.isArray(entries) ? entries.length > 0 : entries !== undefined && entries !== null;
  });

const replaces = (value: unknown): boolean => value !== undefined && !(isOperation(value) && !hasEffect(value));

/**
 * As in Strapi, targets with one owner are moved to the clone, except for those of one-to-one relations, which are `copied`: they are not
 * in the data, which would move the links.
 */
export function cloneData(context: DocumentsContext, schema: Schema, row: number, submitted: Data) {
  const original = readData(context, schema, row, { rowLinks: true, bothSides: true, asEntries: true });
  const copied = [...schema.attributes.values()].filter(
    (attribute): attribute is RelationAttribute =>
      attribute.kind === "relation" &&
      attribute.relation === "oneToOne" &&
      attribute.other !== undefined &&
      isRecord(original[attribute.name]) &&
      !replaces(submitted[attribute.name]),
  );
  const merged = replaceLinks(context, schema, merge(original, submitted), submitted);
  for (const { name } of copied) delete merged[name];
  return { data: merged, copied };
}

/** Operations on links, and entries of a to-one relation, replace what is stored. */
function replaceLinks(context: DocumentsContext, schema: Schema, merged: Data, submitted: Data): Data {
  for (const [name, value] of Object.entries(submitted)) {
    const attribute = schema.attributes.get(name);
    if (attribute?.kind === "relation") {
      const isEntry = isRecord(value) && ("id" in value || "documentId" in value);
      if (isEntry || (isOperation(value) && hasEffect(value))) merged[name] = value;
    } else if (holdsComponents(attribute)) {
      const entries = [merged[name]].flat();
      for (const [index, entry] of [value].flat().entries()) {
        const stored = entries[index];
        if (!isRecord(entry) || !isRecord(stored)) continue;
        const target = entrySchema(context.model, attribute, stored);
        if (target) replaceLinks(context, target, stored, entry);
      }
    }
  }
  return merged;
}

/** Copies the links of an attribute from one row to another. The first row keeps its own. */
export function copyLinks({ storage }: DocumentsContext, attribute: RelationAttribute, from: number, to: number): void {
  const { near, far, order, farOrder } = linkColumns[attribute.link.side];
  const columns = `${far}, ${order}, ${farOrder}, kind, target_attribute`;
  storage.run(
    `${INSERT} galley_links (field, ${near}, ${columns}) SELECT field, ?, ${columns} FROM galley_links WHERE field = ? AND ${near} = ?`,
    [to, storage.number(attribute.link.field), from],
  );
}

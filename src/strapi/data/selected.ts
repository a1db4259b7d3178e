/** Reduces rows of `strapi.db.query` to the columns that Strapi's query selects, in its order. */

import { isPresent } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import {
  type Attribute,
  findTarget,
  hasPolymorphicTargets,
  type Model,
  type Schema,
} from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { joins } from "./operands.ts";
import { selectedColumns } from "./query-params.ts";
import { populatedIn, populatedNames } from "./row-query.ts";

const IDS: ReadonlySet<string> = new Set(["id", "documentId"]);

/** How Strapi finds rows: in their table, by a join, or by ids that it selects. */
type Way = "table" | "join" | "id" | "documentId";

function wayTo(attribute: Attribute): Way {
  if (attribute.kind === "relation" && attribute.virtual === "localizations") return "documentId";
  if (attribute.kind === "relation" && attribute.column !== undefined) return "id";
  return hasPolymorphicTargets(attribute) ? "id" : "join";
}

/** The columns of the row itself by which it is sorted. */
function sortColumns(schema: Schema, { orderBy, limit, offset }: Params, isFirst: boolean): string[] {
  const names = [orderBy]
    .flat()
    .flatMap((entry) => (isRecord(entry) ? Object.keys(entry) : isPresent(entry) ? [String(entry)] : []));
  const isPage = !isFirst && (isPresent(limit) || isPresent(offset));
  return [...names, ...(isPage ? ["id"] : [])].filter(
    (name) => IDS.has(name) || schema.attributes.get(name)?.kind === "scalar",
  );
}

const neededIds = (schema: Schema, populated: readonly string[]): string[] =>
  populated.flatMap((name) => {
    const attribute = schema.attributes.get(name)!;
    return attribute.kind === "relation" && attribute.virtual === "localizations" ? ["documentId", "id"] : ["id"];
  });

interface Columns {
  readonly names: readonly string[];
  /** Other columns follow. */
  readonly hasOthers: boolean;
}

function selectColumns(schema: Schema, params: Params, way: Way, isFirst: boolean): Columns {
  const selected = selectedColumns(schema, params.select);
  const isEmptyList = Array.isArray(params.select) && params.select.length === 0;
  const added = [
    ...neededIds(schema, populatedIn(schema, params.populate)),
    ...(way === "table" || way === "join" ? [] : [way]),
  ];
  const names = selected ?? (isEmptyList && added.length > 0 ? [] : undefined);
  const isDistinct = way === "join" || joins(schema, params.where) || joins(schema, params.filters);
  const sorted = isDistinct ? sortColumns(schema, params, isFirst) : [];
  return { names: [...sorted, ...(names ? [...names, ...added] : [])], hasOthers: names === undefined };
}

/** Puts these keys first, and removes other columns. */
function arrange(row: Record<string, unknown>, schema: Schema, { names, hasOthers }: Columns): void {
  if (hasOthers && names.length === 0) return;
  const entries = Object.entries(row);
  for (const name of Object.keys(row)) delete row[name];
  for (const name of names) row[name] = undefined;
  for (const [name, value] of entries)
    if (name in row || hasOthers || !(IDS.has(name) || schema.attributes.get(name)?.kind === "scalar"))
      row[name] = value;
  for (const name of names) if (row[name] === undefined) delete row[name];
}

/** `way`: how the rows were found. `isFirst`: by a query of one row. */
function prune(model: Model, value: unknown, schema: Schema, params: Params, way: Way, isFirst = false): void {
  const rows = [value].flat().filter(isRecord);
  if (rows.length === 0) return;
  const columns = selectColumns(schema, params, way, isFirst);
  const options = populatedNames(params.populate) ?? {};
  for (const row of rows) {
    arrange(row, schema, columns);
    for (const [name, inner] of Object.entries(options)) {
      const attribute = schema.attributes.get(name);
      if (attribute && isRecord(inner)) pruneBelow(model, row[name], attribute, inner);
    }
  }
}

function pruneBelow(model: Model, value: unknown, attribute: Attribute, params: Params): void {
  const target = findTarget(model, attribute);
  if (target) return prune(model, value, target, params, wayTo(attribute));
  const { on, ...shared } = params;
  for (const row of [value].flat().filter(isRecord)) {
    const uid = String(row.__component ?? row.__type);
    const schema = model.components.get(uid) ?? model.types.get(uid);
    const own = isRecord(on) ? on[uid] : shared;
    if (schema && isRecord(own)) prune(model, row, schema, own, "id");
  }
}

/** Changes the rows. `params`: of the query. `isFirst`: of one row. */
export function keepSelected<T>(model: Model, schema: Schema, rows: T, params: Params, isFirst = false): T {
  prune(model, rows, schema, params, "table", isFirst);
  return rows;
}

/** The columns of a deleted row always include its id. */
export const withId = (select: unknown): unknown =>
  select === undefined || select === null ? select : ["id", select].flat();

/** The parameters that apply to the result of a write. */
export const selectionIn = ({ select, populate }: Params): Params => ({
  ...(select === undefined ? {} : { select }),
  ...(populate === undefined ? {} : { populate }),
});

/** Reduces rows of `strapi.db.query` to the selected columns in their order, and to ids where the reference's query needs them. */
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import type { ContentType } from "../../schema/model.ts";
import { selectedNames } from "./query-params.ts";

const IDS: ReadonlySet<string> = new Set(["id", "documentId"]);

/** Whether a condition needs a join. */
const isJoined = (type: ContentType, where: unknown): boolean =>
  Array.isArray(where)
    ? where.some((item) => isJoined(type, item))
    : isRecord(where) &&
      Object.entries(where).some(([key, value]) => {
        if (key.startsWith("$")) return isJoined(type, value);
        const attribute = type.attributes.get(key);
        return attribute !== undefined && attribute.kind !== "scalar";
      });

const sortsById = (orderBy: unknown): boolean =>
  Array.isArray(orderBy) ? orderBy.some(sortsById) : orderBy === "id" || (isRecord(orderBy) && "id" in orderBy);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** With a join, the reference selects distinct rows with their sort keys. Pages are also sorted by id. */
function isIdSelected(type: ContentType, params: Params): boolean {
  const { where, filters, orderBy, limit, offset } = params;
  if (!isJoined(type, where) && !isJoined(type, filters)) return false;
  return sortsById(orderBy) || isSet(limit) || isSet(offset);
}

function populatesAny(populate: unknown, type: ContentType | undefined): boolean {
  if (populate === true) return true;
  const names = Array.isArray(populate) ? populate : isRecord(populate) ? Object.keys(populate) : [];
  if (!type) return names.length > 0;
  return names.some((name) => {
    const attribute = type.attributes.get(String(name).split(".")[0]!);
    return attribute !== undefined && attribute.kind !== "scalar";
  });
}

/** Removes ids that were not selected, also from populated rows. `params`: of the query. */
export function keepSelected<T>(type: ContentType, rows: T, params: Params): T {
  prune(rows, params, isIdSelected(type, params), type);
  return rows;
}

/** Puts these keys before the others, and removes other ids. */
function order(row: Record<string, unknown>, names: readonly string[]): void {
  const entries = Object.entries(row);
  for (const name of Object.keys(row)) delete row[name];
  for (const name of names) row[name] = undefined;
  for (const [name, value] of entries) if (name in row || !IDS.has(name)) row[name] = value;
  for (const name of names) if (row[name] === undefined) delete row[name];
}

function prune(value: unknown, params: Params, keepsId: boolean, type: ContentType | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) prune(item, params, keepsId, type);
    return;
  }
  if (!isRecord(value)) return;
  const { select, populate } = params;
  const names = selectedNames(select);
  if (names) {
    const keepsOwnId = keepsId || names.includes("id") || populatesAny(populate, type);
    order(value, [...names.map(String), ...(keepsOwnId ? ["id"] : [])]);
  }
  if (!isRecord(populate)) return;
  for (const [name, inner] of Object.entries(populate))
    if (isRecord(inner)) prune(value[name], inner, false, undefined);
}

/** The parameters of a list besides filters: `sort`, `fields` and `pagination`. */

import { toText } from "../../lib/coerce.ts";
import { ApiError, validationError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { findTarget, hasVersions, type Model, type ScalarAttribute, type Schema } from "../schema/model.ts";
import { type ComputedKey, DOCUMENT_ID, type Field, ID, type SortKey } from "./tree.ts";

/** An entry without a value, `fields[]`, is not an error. */
export const withoutEmpty = (fields: unknown): unknown =>
  Array.isArray(fields) ? fields.filter((name) => name !== null && name !== undefined) : fields;

export const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** In the order of the parameter. Expects one that `checkParams` has accepted. */
export function readFields(schema: Schema, parameter: unknown): readonly ScalarAttribute[] {
  const fields = withoutEmpty(parameter);
  if (fields === undefined || fields === null) return schema.defaultFields;
  if (fields === "") throw validationError("fields must name an attribute");
  const names = typeof fields === "string" ? fields.split(",") : fields;
  if (!isStrings(names) || names.some((name) => name.includes(",")))
    throw validationError("Invalid fields parameter. Expected a string or an array of strings");
  return inOrder(
    schema,
    names.map((name) => name.trim()),
  );
}

/** The attributes with these names; `*` stands for all others. */
function inOrder({ defaultFields }: Schema, wanted: readonly string[]): readonly ScalarAttribute[] {
  const attributes = new Map(defaultFields.map((attribute) => [attribute.name, attribute]));
  const all = wanted.includes("*") ? [...wanted, ...attributes.keys()] : wanted;
  return [...new Set(all)].flatMap((name) => attributes.get(name) ?? []);
}

/**
 * With other sort fields before these. Strapi selects them in queries that join other tables, and returns them as well; not so
 * when it sorts through relations.
 */
export function withSortedFields(
  schema: Schema,
  fields: readonly ScalarAttribute[],
  sort: readonly SortKey[],
): readonly ScalarAttribute[] {
  if (fields === schema.defaultFields || sort.some(({ path }) => path.length > 0)) return fields;
  const names = new Set(fields.map(({ name }) => name));
  const added = sort.flatMap(({ field }) => (typeof field === "string" || names.has(field.name) ? [] : [field.name]));
  return added.length === 0 ? fields : [...inOrder(schema, added), ...fields];
}

export interface PaginationSettings {
  readonly defaultLimit: number;
  /** Undefined: no maximum. */
  readonly maxLimit: number | undefined;
  readonly withCount: boolean;
}

export interface Pagination {
  readonly style: "page" | "offset";
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
  readonly withCount: boolean;
}

type Meta = Readonly<Record<string, number>>;

type Parameters = Readonly<Record<string, unknown>>;

const hasPages = ({ page, pageSize }: Parameters): boolean => isPresent(page) || isPresent(pageSize);
const hasOffsets = ({ start, limit }: Parameters): boolean => isPresent(start) || isPresent(limit);

/** Throws a PaginationError when `pagination` mixes page and offset parameters. */
export function refuseMixedStyles(pagination: unknown): void {
  if (isRecord(pagination) && hasPages(pagination) && hasOffsets(pagination))
    throw new ApiError("PaginationError", "Cannot use both page & offset pagination in the same query");
}

const misplacedPages = (): ApiError =>
  new ApiError(
    "PaginationError",
    "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object",
  );

const COUNT: Readonly<Record<string, boolean>> = { true: true, t: true, "1": true, false: false, f: false, "0": false };

function readCount(value: unknown, byDefault: boolean): boolean {
  if (value === undefined) return byDefault;
  const word = typeof value === "object" ? "" : String(value);
  if (Object.hasOwn(COUNT, word)) return COUNT[word]!;
  throw validationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
}

/** JavaScript's conversion, so that a list of one number is that number; objects are NaN. */
const toNumber = (value: unknown): number => (isRecord(value) ? Number.NaN : Number(value));
const atLeast = (least: number, value: unknown): number => Math.max(least, toNumber(value));

function integer(name: "Start" | "Limit", value: number, least = 0): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw validationError(`convert${name}QueryParams expected a positive integer got ${value}`);
}

/** The pagination of a list. Throws a PaginationError or ValidationError. */
export function readListPages(params: Parameters, settings: PaginationSettings): Pagination {
  if (hasPages(params)) throw misplacedPages();
  return readPagination(params.pagination, settings);
}

/** Numbers that are too small become the minimum. Throws a ValidationError for what is not a number. */
export function readPagination(parameter: unknown, settings: PaginationSettings): Pagination {
  const { start, limit, page, pageSize, withCount } = toRecord(parameter);
  const { maxLimit } = settings;
  // as in Strapi, what is not a number, such as the text "undefined", becomes the maximum
  const cap = (size: number): number => (maxLimit === undefined || size < maxLimit ? size : maxLimit);
  const count = () => readCount(withCount, settings.withCount);
  // the keys decide the style, even without values
  if (start !== undefined || limit !== undefined) {
    const from = integer("Start", isPresent(start) ? atLeast(0, start) : 0);
    const size = integer("Limit", cap(isPresent(limit) ? atLeast(1, limit) : settings.defaultLimit));
    return { style: "offset", start: from, limit: size, withCount: count() };
  }
  const size = cap(isPresent(pageSize) ? atLeast(1, pageSize) : settings.defaultLimit);
  const number = isPresent(page) ? atLeast(1, page) : 1;
  const from = integer("Start", (number - 1) * size);
  return { style: "page", start: from, limit: integer("Limit", size), withCount: count() };
}

/**
 * Top-level `start` and `limit`, for everything but lists with `pagination`. No limit, 0 or -1 means all. `page` and
 * `pageSize` have no effect, but must be valid, as in Strapi. Throws a PaginationError or ValidationError.
 */
export function readOffsets(params: Parameters) {
  if (hasPages(params) && hasOffsets(params)) throw misplacedPages();
  for (const name of ["page", "pageSize"]) {
    const value = params[name];
    const number = toNumber(value);
    if (!isPresent(value) || (Number.isInteger(number) && number > 0)) continue;
    throw new ApiError(
      "PaginationError",
      `Invalid '${name}' parameter. Expected an integer > 0, received: ${toText(value)}`,
    );
  }
  const { start, limit } = params;
  const from = isPresent(start) ? integer("Start", toNumber(start)) : 0;
  const size = isPresent(limit) ? integer("Limit", toNumber(limit), -1) : 0;
  return { start: from, limit: size < 1 ? undefined : size };
}

/** `meta.pagination`; without a total, `total` and `pageCount` are omitted. */
export function paginationMeta({ style, start, limit }: Pagination, total: number | undefined): Meta {
  const size = limit ?? total ?? 0;
  if (style === "offset") return { start, limit: size, ...(total === undefined ? {} : { total }) };
  const page = size === 0 ? 1 : Math.floor(start / size) + 1;
  const counts: Meta = total === undefined ? {} : { pageCount: Math.ceil(total / size), total };
  return { page, pageSize: size, ...counts };
}

const MAX_KEYS = 50;
const MAX_DEPTH = 20;

export const isOrder = (text: string): boolean => /^(asc|desc)$/i.test(text);

/** The comma-separated terms of a string that name a field: `,` and `:asc` have none. */
const sortTerms = (sort: string): string[] =>
  sort
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part.split(":")[0]!.trim() !== "");

/** Whether an object has a direction at any depth. */
const givesDirection = (sort: Record<string, unknown>): boolean =>
  Object.values(sort).some((order) =>
    isRecord(order) ? givesDirection(order) : typeof order === "string" && order !== "",
  );

/** Whether the parameter has any sort key; lists inside lists or objects have none. */
export function isMeaningful(sort: unknown): boolean {
  const asks = (part: unknown): boolean => {
    if (typeof part === "string") return sortTerms(part).length > 0;
    return isRecord(part) && givesDirection(part);
  };
  return Array.isArray(sort) ? sort.some(asks) : asks(sort);
}

function isDescending(text: string): boolean {
  if (!isOrder(text)) throw validationError("Invalid order. order can only be one of asc|desc|ASC|DESC");
  return text.toLowerCase() === "desc";
}

function createSortKey(model: Model, schema: Schema, names: readonly string[], descending: boolean): SortKey {
  if (names.length > MAX_DEPTH) throw validationError(`sort must not go through more than ${MAX_DEPTH} relations`);
  const path: SortKey["path"][number][] = [];
  let at = schema;
  for (const name of names.slice(0, -1)) {
    const attribute = at.attributes.get(name);
    const target =
      attribute && attribute.kind !== "scalar" && attribute.kind !== "zone" ? findTarget(model, attribute) : undefined;
    if (!attribute || !target || attribute.kind === "scalar" || attribute.kind === "zone")
      throw validationError("Invalid sort query");
    path.push({ attribute, target });
    at = target;
  }
  const name = names.at(-1)!;
  return { path, field: findField(at, name, path.length === 0), descending };
}

function findField(schema: Schema, name: string, isOwn: boolean): Field | ComputedKey {
  if (name === "id") return ID;
  if (name === "documentId" && schema.modelType === "contentType") return DOCUMENT_ID;
  const attribute = schema.attributes.get(name);
  if (attribute?.kind === "scalar") return { name, column: attribute.column, type: attribute.type };
  if (!attribute && name === "status" && hasVersions(schema)) return "status";
  if (!attribute && name === "_relevance" && isOwn) return name;
  throw validationError("Invalid sort query");
}

function readText(model: Model, schema: Schema, sort: string): SortKey[] {
  const keys: SortKey[] = [];
  for (const part of sortTerms(sort)) {
    const [field, direction = "asc"] = part.split(":");
    const descending = isDescending(direction.trim());
    keys.push(createSortKey(model, schema, field!.trim().split("."), descending));
  }
  return keys;
}

function readObject(model: Model, schema: Schema, sort: Record<string, unknown>, path: readonly string[]): SortKey[] {
  return Object.entries(sort).flatMap(([name, value]) => {
    const names = [...path, name];
    if (isRecord(value)) return readObject(model, schema, value, names);
    if (typeof value !== "string")
      throw validationError(`Invalid sort type expected object or string got ${typeof value}`);
    const text = value.trim();
    return text === "" ? [] : [createSortKey(model, schema, names, isDescending(text))];
  });
}

/** The keys of texts, which depend on the model alone; of each type, so many are kept. */
const keysOfTexts = new WeakMap<Model, WeakMap<Schema, Map<string, readonly SortKey[]>>>();
const MAX_KEPT = 100;
const MAX_KEPT_LENGTH = 100;

/** Expects a parameter that `checkParams` has accepted. Throws a ValidationError for a wrong direction. */
export function readSort(model: Model, schema: Schema, sort: unknown): readonly SortKey[] {
  const text = Array.isArray(sort) && sort.length === 1 ? sort[0] : sort;
  if (typeof text !== "string" || text.length > MAX_KEPT_LENGTH) return readKeys(model, schema, sort);
  const ofModel = keysOfTexts.getOrInsertComputed(model, () => new WeakMap());
  const kept = ofModel.getOrInsertComputed(schema, () => new Map());
  if (kept.size > MAX_KEPT) kept.clear();
  return kept.getOrInsertComputed(text, () => readKeys(model, schema, sort));
}

function readKeys(model: Model, schema: Schema, sort: unknown): SortKey[] {
  if (!isMeaningful(sort)) return [];
  const keys = Array.isArray(sort)
    ? sort.flatMap((item) => {
        if (typeof item === "string") return readText(model, schema, item);
        if (isRecord(item)) return readObject(model, schema, item, []);
        throw validationError(`Invalid sort type expected object or string got ${typeof item}`);
      })
    : typeof sort === "string"
      ? readText(model, schema, sort)
      : readObject(model, schema, sort as Record<string, unknown>, []);
  if (keys.length > MAX_KEYS) throw validationError(`sort takes at most ${MAX_KEYS} keys`);
  return keys;
}

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Checks and parses the `sort` parameter: strings, lists, objects, and paths through relations and components. */
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { hasVersions, type Model, type Schema, targetOf } from "../schema/model.ts";
import { joinPath, type KeyAccess, KeyCheck } from "./key-check.ts";
import { DOCUMENT_ID, type Field, ID, type SortKey } from "./tree.ts";

const MAX_KEYS = 50;
const MAX_DEPTH = 20;

const isOrder = (text: string): boolean => /^(asc|desc)$/i.test(text);

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
function isMeaningful(sort: unknown): boolean {
  const asks = (part: unknown): boolean => {
    if (typeof part === "string") return sortTerms(part).length > 0;
    return isRecord(part) && givesDirection(part);
  };
  return Array.isArray(sort) ? sort.some(asks) : asks(sort);
}

/** The first step of a path, and the rest with the direction in the form that the reference checks. */
function splitFirst(text: string): { key: string | undefined; rest: string | undefined } {
  const [key, ...rest] = text
    .trim()
    .split(".")
    .flatMap((part) => part.split(":"));
  let left = "";
  for (const part of rest) {
    if (part === "") continue;
    if (left === "") left = part;
    else left += isOrder(part) ? `:${part}` : `.${part}`;
  }
  return { key: key === "" ? undefined : key, rest: rest.length > 0 ? left : undefined };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

function checkKey(
  model: Model,
  keys: KeyCheck,
  schema: Schema,
  key: string,
  value: unknown,
  path: string | null,
): void {
  if (key === "id" || key === "documentId") return;
  const attribute = schema.attributes.get(key);
  if (!attribute) {
    const isStatus = key === "status" && hasVersions(schema);
    if (!isStatus) keys.report("unknown", { key, path });
    else if (isEmpty(value)) keys.report("empty", { key, path });
    return;
  }
  const here = joinPath(path, key);
  keys.attribute(schema, attribute, here);
  if (attribute.kind === "scalar") return;
  if (isEmpty(value)) keys.report("empty", { key, path: here });
  if (attribute.kind === "relation" && attribute.link.polymorphic) return;
  const target = targetOf(model, attribute);
  if (target) check(model, keys, target, value, here);
}

function check(model: Model, keys: KeyCheck, schema: Schema, sort: unknown, path: string | null): void {
  if (Array.isArray(sort) && !isMeaningful(sort)) return;
  if (typeof sort === "string") {
    const parts = sort.split(",");
    if (parts.length > 1) for (const part of parts) check(model, keys, schema, part, path);
    else {
      const { key, rest } = splitFirst(sort);
      if (key !== undefined) checkKey(model, keys, schema, key, rest, path);
    }
  } else if (Array.isArray(sort) && (sort.every((item) => typeof item === "string") || sort.every(isRecord))) {
    for (const item of sort) check(model, keys, schema, item, path);
  } else if (typeof sort === "object" && sort !== null) {
    for (const [key, value] of Object.entries(sort)) checkKey(model, keys, schema, key, value, path);
  }
}

/** Throws "Invalid key" for the first key that is unknown, cannot be sorted by, or is hidden from the caller. */
export function checkSort(model: Model, schema: Schema, sort: unknown, ...access: KeyAccess): void {
  const keys = new KeyCheck(...access);
  check(model, keys, schema, sort, null);
  keys.finish("sort");
}

function isDescending(text: string): boolean {
  if (!isOrder(text)) throw validationError("Invalid order. order can only be one of asc|desc|ASC|DESC");
  return text.toLowerCase() === "desc";
}

function keyOf(model: Model, schema: Schema, names: readonly string[], descending: boolean): SortKey {
  if (names.length > MAX_DEPTH) throw validationError(`sort must not go through more than ${MAX_DEPTH} relations`);
  const path: SortKey["path"][number][] = [];
  let at = schema;
  for (const name of names.slice(0, -1)) {
    const attribute = at.attributes.get(name);
    const target =
      attribute && attribute.kind !== "scalar" && attribute.kind !== "zone" ? targetOf(model, attribute) : undefined;
    if (!attribute || !target || attribute.kind === "scalar" || attribute.kind === "zone")
      throw validationError("Invalid sort query");
    path.push({ attribute, target });
    at = target;
  }
  const name = names.at(-1)!;
  return { path, field: fieldOf(at, name), descending };
}

function fieldOf(schema: Schema, name: string): Field | "status" {
  if (name === "id") return ID;
  if (name === "documentId" && schema.modelType === "contentType") return DOCUMENT_ID;
  const attribute = schema.attributes.get(name);
  if (attribute?.kind === "scalar") return { name, column: attribute.column, type: attribute.type };
  if (!attribute && name === "status" && hasVersions(schema)) return "status";
  throw validationError("Invalid sort query");
}

function readText(model: Model, schema: Schema, sort: string): SortKey[] {
  const keys: SortKey[] = [];
  for (const part of sortTerms(sort)) {
    const [field, direction = "asc"] = part.split(":");
    const descending = isDescending(direction.trim());
    keys.push(keyOf(model, schema, field!.trim().split("."), descending));
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
    return text === "" ? [] : [keyOf(model, schema, names, isDescending(text))];
  });
}

/** Expects a parameter that `checkSort` has accepted. Throws a ValidationError for a wrong direction. */
export function readSort(model: Model, schema: Schema, sort: unknown): SortKey[] {
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

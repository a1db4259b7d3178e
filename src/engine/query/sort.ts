/** Parses the `sort` parameter: strings, lists, objects, and paths through relations and components. */
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { hasVersions, type Model, type Schema, targetOf } from "../schema/model.ts";
import { DOCUMENT_ID, type Field, ID, type SortKey } from "./tree.ts";

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

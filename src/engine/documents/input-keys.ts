/**
 * Checks the keys of a request body's data before anything is read from the database: keys that are not writable, unknown
 * keys, and relations that the caller may not follow, in this order. The first violation of the earliest rule is reported.
 */
import { type ApiError, type InvalidKey, invalidKeyError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { typeMessage } from "../../lib/print-value.ts";
import { isReadable } from "../query/check-query.ts";
import { type CanRead, joinPath } from "../query/tree.ts";
import { findEntrySchema } from "../schema/entries.ts";
import type { Attribute, ContentType, Model, RelationAttribute, Schema } from "../schema/model.ts";
import type { Data } from "./rows.ts";

/** Whether a relation has targets of several types, which its entries name. */
export const isPolymorphicRelation = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === "relation" && attribute.target === undefined;

/** Whether the value of a relation to several types is well-formed, and the caller may find all types that it names. */
function isPolymorphicLinkable(schema: Schema, value: unknown, canRead: CanRead): boolean {
  // writes nothing
  if (value === true) return true;
  const canName = (uid: unknown): boolean => typeof uid === "string" && canRead(uid, schema.uid);
  // the response shows whether a neighbour exists
  const canPlace = (position: unknown): boolean =>
    !isRecord(position) || typeof position.__type !== "string" || canName(position.__type);
  const isEntry = (entry: unknown): boolean => isRecord(entry) && canName(entry.__type) && canPlace(entry.position);
  const isEntries = (list: unknown): boolean => Array.isArray(list) && list.every(isEntry);
  if (!isRecord(value)) return isEntries(value);
  const operations = ["connect", "set", "disconnect"].filter((name) => name in value);
  if (operations.length === 0) return "options" in value || value.count === true;
  return operations.every((name) => !value[name] || isEntries(value[name]));
}

/** Whether a caller may set an attribute to a value: it must not link to types that they may not find. */
export const isLinkable = (schema: Schema, attribute: Attribute, value: unknown, canRead: CanRead): boolean =>
  isPolymorphicRelation(attribute)
    ? isPolymorphicLinkable(schema, value, canRead)
    : isReadable(schema, attribute, canRead);

const OPERATIONS = new Set(["connect", "disconnect", "set", "options"]);
const IDS = new Set(["id", "documentId"]);

type Rule = "restricted" | "unknown" | "forbidden";
const rules: readonly Rule[] = ["restricted", "unknown", "forbidden"];

/** Throws a ValidationError if `data` is no object, or for its first invalid key. */
export function checkInput(model: Model, type: ContentType, body: unknown, canRead: CanRead): Data {
  let violation: { rank: number; at: InvalidKey } | undefined;

  function report(rule: Rule, at: InvalidKey): void {
    const rank = rules.indexOf(rule);
    if (!violation || rank < violation.rank) violation = { rank, at };
  }

  /** Whether a key that is no attribute is allowed at its position. */
  function isAllowed(key: string, schema: Schema, owner: Attribute | undefined): boolean {
    if (!owner) return IDS.has(key) || (key === "data" && schema.modelType === "contentType");
    const links = owner.kind === "relation" || owner.kind === "media";
    if (key === "__component") return owner.kind === "zone" && schema.modelType === "component";
    if (key === "__type") return owner.kind === "relation" && !owner.target;
    if (OPERATIONS.has(key)) return links;
    return IDS.has(key) && (links || owner.kind === "component" || owner.kind === "zone");
  }

  function visit(schema: Schema, data: unknown, path: string | null, owner: Attribute | undefined): void {
    if (!isRecord(data)) return;
    for (const [key, value] of Object.entries(data)) {
      const attribute = schema.attributes.get(key);
      if (!attribute) {
        if (!isAllowed(key, schema, owner)) report("unknown", { key, path });
        continue;
      }
      const here = joinPath(path, key);
      if (path === null && !attribute.writable) report("restricted", { key, path: here });
      if (!isLinkable(schema, attribute, value, canRead)) report("forbidden", { key, path: here });
      else if (isPolymorphicRelation(attribute) && isRecord(value)) checkOptions(key, value.options, here);
      if (value === null || value === undefined) continue;
      visitEntries(attribute, value, here);
      refuseLists(attribute, value, here);
    }
  }

  function checkOptions(key: string, options: unknown, path: string): void {
    if (options === null || options === undefined) return;
    if (typeof options !== "object") return report("forbidden", { key, path });
    for (const [name, value] of Object.entries(options)) {
      if (name !== "strict" || typeof value !== "boolean") report("forbidden", { key: name, path });
    }
  }

  function visitEntries(attribute: Attribute, value: unknown, path: string): void {
    if (attribute.kind === "scalar") return;
    for (const item of [value].flat()) {
      const target = findEntrySchema(model, attribute, item);
      if (target) visit(target, item, path, attribute);
    }
  }

  /** A list instead of an entry is refused, with its first index as the key. */
  function refuseLists(attribute: Attribute, value: unknown, path: string): void {
    if (attribute.kind === "scalar" || attribute.kind === "zone") return;
    if (isPolymorphicRelation(attribute)) return;
    for (const item of Array.isArray(value) ? value : []) {
      if (Array.isArray(item) && item.length > 0) report("unknown", { key: "0", path });
    }
  }

  const data = isRecord(body) ? body.data : undefined;
  const isList = Array.isArray(data);
  if (!isRecord(data) && !isList) throw validationError('Missing "data" payload in the request body');
  // invalid keys of a list's items are reported before the list itself
  for (const item of isList ? recordsIn(data) : [data]) {
    for (const key of IDS) if (key in item) throw invalidKeyError({ key }, { source: "body" });
    visit(type, item, null, undefined);
  }
  if (violation) throw invalidKeyError(violation.at, { source: "body" });
  if (isList) throw notAnObject(firstEntries(data, PRINTED_LEVELS));
  return data;
}

/** The objects in a list and in its nested lists, in order. */
function* recordsIn(list: readonly unknown[]): Iterable<Record<string, unknown>> {
  const open = [list.values()];
  for (let items = open.at(-1); items; items = open.at(-1)) {
    const { done, value } = items.next();
    if (done) open.pop();
    else if (Array.isArray(value)) open.push(value.values());
    else if (isRecord(value)) yield value;
  }
}

/** Limits for printing a list in an error. */
const PRINTED_ENTRIES = 100;
const PRINTED_LEVELS = 20;

/** The list as Strapi prints it: items are converted to objects. */
const firstEntries = (list: readonly unknown[], levels: number): unknown[] =>
  list.slice(0, PRINTED_ENTRIES).map((item) => {
    if (!Array.isArray(item)) return { ...Object(item) };
    return levels > 0 ? firstEntries(item, levels - 1) : [];
  });

/** What Strapi says of data that cannot be those of a document. */
export function notAnObject(data: unknown): ApiError {
  const message = typeMessage("this", "object", null, data);
  return validationError(message, { errors: [{ path: [], message, name: "ValidationError", value: null }] });
}

/** Checks that the rows that data refers to by id exist, in one statement, whether relations would be empty, and whether other rows would link. */
import { toNumber, toText } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import { FILE } from "../schema/builtin/index.ts";
import {
  component,
  contentType,
  isLink,
  type MediaAttribute,
  type RelationAttribute,
  type Schema,
} from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import type { Data } from "./documents.ts";
import { isFound } from "./relation-input.ts";

/** A value that is no valid relation. Clients see the message. */
class InvalidRelationError extends Error {}

interface Target {
  readonly id: unknown;
  readonly isFound: boolean;
}

type Wanted = Map<string, Target[]>;

/** The ids of one type that data refer to, each once. */
export interface Targets {
  readonly uid: string;
  readonly ids: readonly unknown[];
}

/** The targets that a value adds; those that it disconnects need not exist. */
function readTargets(value: unknown): Target[] {
  const source = Array.isArray(value) ? value : isRecord(value) ? (value.connect ?? value.set ?? []) : [value];
  if (!Array.isArray(source)) throw new InvalidRelationError("Invalid relations");
  return source.map((target) => {
    if (typeof target !== "object") return { id: target, isFound: false };
    if (!isRecord(target) || target.id === undefined) throw new InvalidRelationError("Invalid relations");
    return { id: target.id, isFound: isFound(target) };
  });
}

function collect(context: DocumentsContext, schema: Schema, data: unknown, wanted: Wanted): void {
  if (!isRecord(data)) return;
  for (const attribute of schema.attributes.values()) {
    const value = data[attribute.name];
    if (value === null || value === undefined || attribute.kind === "scalar") continue;
    if (isLink(attribute)) collectTargets(attribute, value, wanted);
    else if (attribute.kind === "component") {
      for (const item of [value].flat()) collect(context, component(context.model, attribute.component), item, wanted);
    } else for (const item of [value].flat()) collectZone(context, item, wanted);
  }
}

function collectTargets(attribute: RelationAttribute | MediaAttribute, value: unknown, wanted: Wanted): void {
  // targets of several types are checked when they are written
  if (attribute.kind === "relation" && (!attribute.target || attribute.system)) return;
  const uid = attribute.kind === "media" ? FILE : attribute.target!;
  const targets = wanted.getOrInsertComputed(uid, () => []);
  for (const target of readTargets(value)) targets.push(target);
}

function collectZone(context: DocumentsContext, item: unknown, wanted: Wanted): void {
  if (item === null || item === undefined) throw new InvalidRelationError("Invalid relations");
  const uid = isRecord(item) ? item.__component : undefined;
  if (!uid)
    throw new InvalidRelationError("Cannot build relations store from dynamiczone, component identifier is undefined");
  const schema = context.model.components.get(toText(uid));
  if (!schema) throw new InvalidRelationError("Invalid relations");
  collect(context, schema, item, wanted);
}

function collectAll(context: DocumentsContext, schema: Schema, data: unknown): Wanted {
  const wanted: Wanted = new Map();
  collect(context, schema, data, wanted);
  return wanted;
}

const distinctIds = (uid: string, targets: readonly Target[]): Targets => ({
  uid,
  ids: [...new Set(targets.map(({ id }) => id))],
});

/** The targets of relations and media in data, by type. Throws an error with Strapi's message for a value of another form. */
export const targetsIn = (context: DocumentsContext, schema: Schema, data: unknown): Targets[] =>
  [...collectAll(context, schema, data)].map(([uid, targets]) => distinctIds(uid, targets));

/** The error message for the first type with missing rows, if any. */
export function checkRelationsExist(context: DocumentsContext, schema: Schema, data: unknown): string | undefined {
  let wanted: Wanted;
  try {
    wanted = collectAll(context, schema, data);
  } catch (error) {
    if (error instanceof InvalidRelationError) return error.message;
    throw error;
  }
  // another store may have deleted rows since they were found
  const isUnknown = (target: Target): boolean => context.rows !== undefined || !target.isFound;
  const unique = [...wanted]
    .map(([uid, targets]) => distinctIds(uid, targets.filter(isUnknown)))
    .filter(({ ids }) => ids.length > 0);
  const counts = countRows(context, unique);
  for (const [index, { uid, ids }] of unique.entries()) {
    const missing = ids.length - (counts[index] ?? 0);
    if (missing !== 0) return `${missing} relation(s) of type ${uid} associated with this entity do not exist`;
  }
  return undefined;
}

/** The number of existing rows for each type. */
function countRows({ storage, model }: DocumentsContext, targets: readonly Targets[]): number[] {
  if (targets.length === 0) return [];
  const counts = targets.map(({ uid }) => {
    const table = quote(contentType(model, uid).table);
    return `(SELECT count(*) FROM ${table} WHERE id IN (SELECT value FROM json_each(?)))`;
  });
  // true is the id 1, as in Strapi's database
  const params = targets.map(({ ids }) => JSON.stringify(ids.map(toNumber)));
  return (storage.first(`SELECT ${counts.join(", ")}`, params) ?? []).map(Number);
}

/** The number of targets in the normalised value of a relation. */
export function countTargets(value: unknown): number {
  if (!isRecord(value)) return 0;
  const sizes = [value.set, value.connect, value.disconnect].map((list) => (Array.isArray(list) ? list.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const isFilled = (list: unknown): boolean =>
  Array.isArray(list) ? list.length > 0 : list !== undefined && list !== null;

/** Whether a relation would be empty after a write; undefined keeps the current value of an update. */
export function leavesEmpty(many: boolean, value: unknown, creating: boolean): boolean {
  if (value === undefined) return creating;
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const { set, connect, disconnect } = value;
  if (isFilled(set) || isFilled(connect)) return false;
  if (set !== undefined && set !== null) return true;
  return isFilled(disconnect) ? creating || !many : creating;
}

/** Whether a row with these data may have links that other rows own. */
export const linksFromOthers = ({ attributes }: Schema, data: Data): boolean =>
  Object.keys(data).some((name) => {
    const attribute = attributes.get(name);
    return attribute?.kind === "relation" && attribute.link.side === "inverse";
  });

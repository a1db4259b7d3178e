/** Looks whether the rows that a document's data names by their ids are there, in one statement. */
import { numberOf, textOf } from "../coerce.ts";
import { isRecord } from "../query/key-check.ts";
import { FILE } from "../schema/builtin/index.ts";
import { component, type MediaAttribute, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";

/** A value in which no relation can be recognised; the message is what clients see. */
class Unreadable extends Error {}

type Wanted = Map<string, unknown[]>;

interface Targets {
  readonly uid: string;
  readonly ids: readonly unknown[];
}

/** Ids of the targets that a value adds; what it takes away need not exist. */
function idsOf(value: unknown): unknown[] {
  const source = Array.isArray(value) ? value : isRecord(value) ? (value.connect ?? value.set ?? []) : [value];
  if (!Array.isArray(source)) throw new Unreadable("Invalid relations");
  return source.map((target) => {
    if (typeof target !== "object") return target;
    if (!isRecord(target) || target.id === undefined) throw new Unreadable("Invalid relations");
    return target.id;
  });
}

function collect(context: DocumentsContext, schema: Schema, data: unknown, wanted: Wanted): void {
  if (!isRecord(data)) return;
  for (const attribute of schema.attributes.values()) {
    const value = data[attribute.name];
    if (value === null || value === undefined || attribute.kind === "scalar") continue;
    if (attribute.kind === "relation" || attribute.kind === "media") collectTargets(attribute, value, wanted);
    else if (attribute.kind === "component") {
      for (const item of [value].flat()) collect(context, component(context.model, attribute.component), item, wanted);
    } else for (const item of [value].flat()) collectZone(context, item, wanted);
  }
}

function collectTargets(attribute: RelationAttribute | MediaAttribute, value: unknown, wanted: Wanted): void {
  // targets of several types are checked where they are written
  if (attribute.kind === "relation" && (!attribute.target || attribute.system)) return;
  const uid = attribute.kind === "media" ? FILE : attribute.target!;
  const ids = wanted.get(uid);
  if (!ids) wanted.set(uid, idsOf(value));
  else for (const id of idsOf(value)) ids.push(id);
}

function collectZone(context: DocumentsContext, item: unknown, wanted: Wanted): void {
  if (item === null || item === undefined) throw new Unreadable("Invalid relations");
  const uid = isRecord(item) ? item.__component : undefined;
  if (!uid) throw new Unreadable("Cannot build relations store from dynamiczone, component identifier is undefined");
  const schema = context.model.components.get(textOf(uid));
  if (!schema) throw new Unreadable("Invalid relations");
  collect(context, schema, item, wanted);
}

/** The message for the first type of which rows are missing, if any. */
export function checkRelationsExist(context: DocumentsContext, schema: Schema, data: unknown): string | undefined {
  const wanted: Wanted = new Map();
  try {
    collect(context, schema, data, wanted);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
  const unique = [...wanted].map(([uid, ids]) => ({ uid, ids: [...new Set(ids)] })).filter(({ ids }) => ids.length > 0);
  const counts = countRows(context, unique);
  for (const [index, { uid, ids }] of unique.entries()) {
    const missing = ids.length - (counts[index] ?? 0);
    if (missing !== 0) return `${missing} relation(s) of type ${uid} associated with this entity do not exist`;
  }
  return undefined;
}

/** How many of the rows are there, for each type. */
function countRows({ storage, model }: DocumentsContext, targets: readonly Targets[]): number[] {
  if (targets.length === 0) return [];
  const counts = targets.map(({ uid }) => {
    const type = model.types.get(uid);
    // a project's own relations to administrators stay empty
    const from = type ? quote(type.table) : "(SELECT NULL AS id)";
    return `(SELECT count(*) FROM ${from} WHERE id IN (SELECT value FROM json_each(?)))`;
  });
  // true is looked for as the row 1, as the reference's database does it
  const params = targets.map(({ ids }) => JSON.stringify(ids.map(numberOf)));
  return (storage.first(`SELECT ${counts.join(", ")}`, params) ?? []).map(Number);
}

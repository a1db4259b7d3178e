/** Who uses files: the entries whose media fields lead to them. Such links are kept by the entries, none by the file. */
import { FILE } from "../schema/builtin/index.ts";
import type { Model, PopulatableAttribute, Schema } from "../schema/model.ts";
import { rowLimit } from "../storage/row-limit.ts";
import type { Storage } from "../storage/storage.ts";
import type { BudgetedReading } from "./reading.ts";
import type { LoadedRow } from "./select.ts";

export interface FileUse {
  readonly schema: Schema;
  readonly file: number;
  readonly owner: number;
}

/** A field of links that lead to files. */
interface FileField {
  readonly schema: Schema;
  readonly isPrivate: boolean;
}

/** Whether an attribute is the one that lists the users of a file. */
export const listsUsers = (schema: Schema, attribute: PopulatableAttribute): boolean =>
  schema.uid === FILE && attribute.name === "related";

const fieldsByModel = new WeakMap<Model, ReadonlyMap<number, FileField>>();

/** The fields of links that lead to files, by their numbers. */
export function fieldsToFiles(storage: Storage, model: Model): ReadonlyMap<number, FileField> {
  let fields = fieldsByModel.get(model);
  if (!fields) {
    fields = findFields(storage, model);
    fieldsByModel.set(model, fields);
  }
  return fields;
}

function findFields(storage: Storage, model: Model): Map<number, FileField> {
  const fields = new Map<number, FileField>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "media" || attribute.target !== FILE) continue;
      fields.set(storage.number(attribute.link.field), { schema, isPrivate: attribute.private });
    }
  }
  return fields;
}

/**
 * The links to all of the files, in one statement: by their places in the fields that they are of, as in the reference, and
 * where those are equal in the order in which they were made. Links of private attributes are left out, though the
 * reference shows them. Throws a ValidationError for more than may be loaded.
 */
export function usesOf({ storage, model, budget }: BudgetedReading, files: readonly LoadedRow[]): FileUse[] {
  const fields = fieldsToFiles(storage, model);
  const visible = [...fields].filter(([, { isPrivate }]) => !isPrivate).map(([field]) => field);
  const lists = [visible, files.map(({ document }) => document.id)].map((list) => JSON.stringify(list));
  const edges = storage.all(
    `SELECT l.field, l.target, l.owner FROM galley_links l WHERE l.field IN (SELECT value FROM json_each(?))
     AND l.target IN (SELECT value FROM json_each(?)) AND l.kind = 0 ORDER BY l.position, l.inverse ${rowLimit()}`,
    [...lists, Math.min(budget.left("entries") + 1, Number.MAX_SAFE_INTEGER)],
  ) as [number, number, number][];
  budget.take("entries", edges.length);
  return edges.flatMap(([field, file, owner]) => {
    const found = fields.get(field);
    return found ? [{ schema: found.schema, file, owner }] : [];
  });
}

/** An attribute that entries of a component are in. */
interface Holder {
  readonly schema: Schema;
  readonly isPrivate: boolean;
}

/** By the number of the field; entries of zones have a kind. */
function holdersOf({ storage, model }: BudgetedReading, part: Schema): Map<number, Holder> {
  const holders = new Map<number, Holder>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of schema.attributes.values()) {
      const holds = attribute.kind === "zone" || (attribute.kind === "component" && attribute.component === part.uid);
      if (holds) holders.set(storage.number(attribute.link.field), { schema, isPrivate: attribute.private });
    }
  }
  return holders;
}

/**
 * Those rows of a component that are in no private attribute, however far above: who uses a file there is nobody's business.
 * A statement for each component on the way up.
 */
export function openParts(reading: BudgetedReading, part: Schema, rows: readonly number[]): ReadonlySet<number> {
  const { storage } = reading;
  const holders = holdersOf(reading, part);
  const edges = storage.all(
    `SELECT field, owner, target FROM galley_links WHERE field IN (SELECT value FROM json_each(?))
     AND target IN (SELECT value FROM json_each(?)) AND kind IN (0, ?)`,
    [JSON.stringify([...holders.keys()]), JSON.stringify(rows), storage.number(part.table)],
  ) as [field: number, owner: number, target: number][];
  const open = edges.filter(([field]) => holders.get(field)?.isPrivate === false);
  const result = new Set<number>();
  for (const [schema, below] of Map.groupBy(open, ([field]) => holders.get(field)!.schema)) {
    const owners = below.map(([, owner]) => owner);
    const visible = schema.modelType === "component" ? openParts(reading, schema, owners) : new Set(owners);
    for (const [, owner, target] of below) if (visible.has(owner)) result.add(target);
  }
  return result;
}

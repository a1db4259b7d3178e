/** The `related` attribute of files: the entries whose media fields link to them. */
import { FILE } from "../schema/builtin/index.ts";
import { type Attribute, type Model, mayHold, type PopulatableAttribute, type Schema } from "../schema/model.ts";
import { rowLimit } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import type { BudgetedReadContext } from "./reading.ts";
import type { LoadedRow } from "./select.ts";

export interface FileUse {
  readonly schema: Schema;
  readonly file: number;
  readonly owner: number;
}

/** An attribute that holds files or entries of a component. */
interface Field {
  readonly schema: Schema;
  readonly isPrivate: boolean;
}

/** Whether an attribute is the `related` attribute of files. */
export const listsUsers = (schema: Schema, attribute: PopulatableAttribute): boolean =>
  schema.uid === FILE && attribute.name === "related";

/** The attributes that may link somewhere, by the number of their link field. */
function fieldsThat(storage: Storage, model: Model, leadThere: (attribute: Attribute) => boolean): Map<number, Field> {
  const fields = new Map<number, Field>();
  for (const schema of [...model.types.values(), ...model.components.values()])
    for (const attribute of schema.attributes.values())
      if (attribute.kind !== "scalar" && leadThere(attribute))
        fields.set(storage.number(attribute.link.field), { schema, isPrivate: attribute.private });
  return fields;
}

const mediaFieldsByModel = new WeakMap<Model, ReadonlyMap<number, Field>>();

/** The media attributes of all types, by the number of their link field. */
export function mediaFields(storage: Storage, model: Model): ReadonlyMap<number, Field> {
  return mediaFieldsByModel.getOrInsertComputed(model, () =>
    fieldsThat(storage, model, (attribute) => attribute.kind === "media" && attribute.target === FILE),
  );
}

/**
 * The links to the files, in one statement. Ordered by their position in the owning attribute, as in Strapi, then by
 * creation. Links of private attributes are excluded, though Strapi shows them. Throws a ValidationError beyond the
 * budget.
 */
export function fileUses({ storage, model, budget }: BudgetedReadContext, files: readonly LoadedRow[]): FileUse[] {
  const fields = mediaFields(storage, model);
  const visible = [...fields].filter(([, { isPrivate }]) => !isPrivate).map(([field]) => field);
  const lists = [visible, files.map(({ document }) => document.id)].map((list) => JSON.stringify(list));
  const links = storage.all(
    `SELECT l.field, l.target, l.owner FROM galley_links l WHERE l.field IN (SELECT value FROM json_each(?))
     AND l.target IN (SELECT value FROM json_each(?)) AND l.kind = 0 ORDER BY l.position, l.inverse ${rowLimit()}`,
    [...lists, Math.min(budget.left("entries") + 1, Number.MAX_SAFE_INTEGER)],
  ) as [number, number, number][];
  budget.take("entries", links.length);
  return links.flatMap(([field, file, owner]) => {
    const mediaField = fields.get(field);
    return mediaField ? [{ schema: mediaField.schema, file, owner }] : [];
  });
}

/**
 * The rows of a component that are not inside a private attribute, at any level: those must not show that they use a file.
 * One statement per component on the way up to the document.
 */
export function publicEntries(
  context: BudgetedReadContext,
  part: Schema,
  rows: readonly number[],
): ReadonlySet<number> {
  const { storage, model } = context;
  const fields = fieldsThat(storage, model, (attribute) => mayHold(attribute, part));
  const links = storage.all(
    `SELECT field, owner, target FROM galley_links WHERE field IN (SELECT value FROM json_each(?))
     AND target IN (SELECT value FROM json_each(?)) AND kind IN (0, ?)`,
    [JSON.stringify([...fields.keys()]), JSON.stringify(rows), storage.number(part.table)],
  ) as [field: number, owner: number, target: number][];
  const open = links.filter(([field]) => fields.get(field)?.isPrivate === false);
  const result = new Set<number>();
  for (const [schema, below] of Map.groupBy(open, ([field]) => fields.get(field)!.schema)) {
    const owners = below.map(([, owner]) => owner);
    const visible = schema.modelType === "component" ? publicEntries(context, schema, owners) : new Set(owners);
    for (const [, owner, target] of below) if (visible.has(owner)) result.add(target);
  }
  return result;
}

/** Who uses files: the entries whose media fields lead to them. Such links are kept by the entries, none by the file. */
import { FILE } from "../schema/builtin/index.ts";
import type { Model, PopulatableAttribute, Schema } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { Reading } from "./reading.ts";
import type { Document } from "./select.ts";

export interface FileUse {
  readonly schema: Schema;
  readonly file: number;
  readonly owner: number;
}

/** Whether an attribute is the one that lists the users of a file. */
export const listsUsers = (schema: Schema, attribute: PopulatableAttribute): boolean =>
  schema.uid === FILE && attribute.name === "related";

const known = new WeakMap<Model, ReadonlyMap<number, Schema>>();

/** The schema behind each field of links that lead to files, by the field's number. */
export function fieldsToFiles(storage: Storage, model: Model): ReadonlyMap<number, Schema> {
  let fields = known.get(model);
  if (!fields) {
    fields = findFields(storage, model);
    known.set(model, fields);
  }
  return fields;
}

function findFields(storage: Storage, model: Model): Map<number, Schema> {
  const fields = new Map<number, Schema>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "media" || attribute.target !== FILE) continue;
      fields.set(storage.number(attribute.link.field), schema);
    }
  }
  return fields;
}

/**
 * The links to all of the files, in one statement: by their places in the fields that they are of, as in the reference, and
 * where those are equal in the order in which they were made. Throws a ValidationError for more than may be loaded. */
export function usesOf({ storage, model, rows }: Reading, files: readonly Document[]): FileUse[] {
  const fields = fieldsToFiles(storage, model);
  const lists = [[...fields.keys()], files.map(({ id }) => id)].map((list) => JSON.stringify(list));
  const edges = storage.all(
    `SELECT l.field, l.target, l.owner FROM galley_links l WHERE l.field IN (SELECT value FROM json_each(?))
     AND l.target IN (SELECT value FROM json_each(?)) AND l.kind = 0 ORDER BY l.position, l.inverse LIMIT ?`,
    [...lists, rows?.limit ?? -1],
  ) as [number, number, number][];
  rows?.take(edges.length);
  return edges.flatMap(([field, file, owner]) => {
    const schema = fields.get(field);
    return schema ? [{ schema, file, owner }] : [];
  });
}

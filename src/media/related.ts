/** Who uses a file: the entries whose media fields lead to it. */

import { emptyQuery } from "../query/parse.ts";
import { loadKind } from "../query/populate.ts";
import type { Reading } from "../query/reading.ts";
import type { Document } from "../query/select.ts";
import type { CanRead, Populate } from "../query/tree.ts";
import { FILE } from "../schema/builtin/index.ts";
import type { Model, Schema } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";

/** The schema behind each field of links that lead to files, by the field's number. */
function fieldsToFiles(storage: Storage, model: Model): Map<number, Schema> {
  const fields = new Map<number, Schema>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "media" || attribute.target !== FILE) continue;
      fields.set(storage.number(attribute.link.field), schema);
    }
  }
  return fields;
}

/** Adds `related` to the files: one statement for the links, one for each type of entry. */
export function populateRelated(reading: Reading, files: readonly Document[], item: Populate, canRead: CanRead): void {
  const { storage, model } = reading;
  const fields = fieldsToFiles(storage, model);
  const lists = [[...fields.keys()], files.map(({ id }) => id)].map((list) => JSON.stringify(list));
  const edges = storage.all(
    `SELECT l.field, l.target, l.owner FROM galley_links l WHERE l.field IN (SELECT value FROM json_each(?))
     AND l.target IN (SELECT value FROM json_each(?)) AND l.kind = 0 ORDER BY l.owner`,
    lists,
  ) as [number, number, number][];
  const users = new Map<unknown, Document[]>(files.map(({ id }) => [id, []]));
  for (const [schema, links] of Map.groupBy(edges, ([field]) => fields.get(field))) {
    const query = schema && (item.on ? item.on.get(schema.uid) : emptyQuery(schema));
    if (!query || !canRead(query.schema.uid, FILE)) continue;
    const owners = links.map(([, , owner]) => owner);
    const found = loadKind({ ...reading, status: undefined }, query, owners, "__type");
    for (const [, target, owner] of links) {
      const entry = found.get(owner);
      if (entry) users.get(target)?.push(entry);
    }
  }
  for (const file of files) {
    const list = users.get(file.id) ?? [];
    file[item.key] = item.count ? { count: list.length } : list;
  }
}

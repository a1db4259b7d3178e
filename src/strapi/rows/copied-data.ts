/** The data of a row that is copied to the other version, as hooks get them: its relations lead to rows of that version. */

import { Counterparts } from "../../engine/documents/copied-links.ts";
import { readData } from "../../engine/documents/read-data.ts";
import type { VersionRow } from "../../engine/documents/row-store.ts";
import type { Data } from "../../engine/documents/rows.ts";
import type { Status } from "../../engine/query/reading.ts";
import { holdsComponents, mapComponents } from "../../engine/schema/entries.ts";
import { type ContentType, hasVersions, type RelationAttribute, type Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";
import type { RawContext } from "./row-hooks.ts";

const scope = { rowLinks: true, componentIds: true, bothSides: true };

/** Documents without such a version are left out. */
export function readCopiedData(context: RawContext, type: ContentType, { id }: VersionRow, status: Status): Data {
  const { model } = context;
  const counterparts = new Counterparts(context);

  function convert(schema: Schema, data: Data): Data {
    return mapValues(data, (value, name) => {
      const attribute = schema.attributes.get(name);
      if (attribute?.kind === "relation") return convertRelation(attribute, value);
      if (!holdsComponents(attribute)) return value;
      return mapComponents(model, attribute, value, (component, entry) => convert(component, entry));
    });
  }

  function convertRelation({ target, many }: RelationAttribute, value: unknown): unknown {
    if (!isRecord(value) || !Array.isArray(value.set)) return value;
    const set = findTargets(target, value.set);
    // a published row may keep a link to a draft, which it does not show
    return set.length === 0 && !many && status === "draft" ? null : { set };
  }

  /** One statement per type. `uid`: of the only type. */
  function findTargets(uid: string | undefined, entries: readonly Data[]): Data[] {
    const rows = new Map<Data, number | undefined>();
    for (const [target, ofType] of Map.groupBy(entries, (entry) => uid ?? String(entry.__type))) {
      const ids = ofType.map(({ id }) => Number(id));
      const type = model.types.get(target);
      const found = hasVersions(type) ? counterparts.ofAll(target, ids, status) : undefined;
      for (const [index, entry] of ofType.entries()) {
        const id = ids[index]!;
        const row = found ? found.get(id) : id;
        rows.set(entry, found && row === id && status === "draft" ? undefined : row);
      }
    }
    return entries.flatMap((entry) => {
      const id = rows.get(entry);
      return id === undefined ? [] : [{ ...entry, id }];
    });
  }

  return convert(type, readData(context, type, id, scope));
}

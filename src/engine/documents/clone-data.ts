/** The data of a clone: that of a stored row, merged with what the caller submits. */
import type lodash from "lodash";
import { isRecord } from "../../lib/is-record.ts";
import { component, type RelationAttribute, type Schema } from "../schema/model.ts";
import { holdsComponents } from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { linkColumns } from "./link-rows.ts";
import { readData } from "./read-data.ts";
import type { Data } from "./rows.ts";

/** Merges deeply, lists by index, as Strapi does: an empty list changes nothing, and null removes. */
const merge = (into: Data, data: Data): Data => (require("lodash") as typeof lodash).merge(into, data);

const OPERATIONS = ["set", "connect", "disconnect"];

const isOperation = (value: unknown): value is Data => isRecord(value) && OPERATIONS.some((name) => name in value);

/** Whether an operation changes anything. `set` always does, also to nothing. */
const hasEffect = (value: Data): boolean =>
  "set" in value ||
  ["connect", "disconnect"].some((name) => {
    const entries = value[name];
    return Array.isArray(entries) ? entries.length > 0 : entries !== undefined && entries !== null;
  });

const replaces = (value: unknown): boolean => value !== undefined && !(isOperation(value) && !hasEffect(value));

export interface CloneData {
  readonly data: Data;
  /** One-to-one relations with another side that stay as they are. They are not in the data, which would move the links. */
  readonly copied: readonly RelationAttribute[];
}

/** As in Strapi, targets with one owner are moved to the clone, except for those of one-to-one relations. */
export function cloneData(context: DocumentsContext, schema: Schema, row: number, submitted: Data): CloneData {
  const original = readData(context, schema, row, {
    includes: () => true,
    rowLinks: true,
    bothSides: true,
    asEntries: true,
  });
  const copied = [...schema.attributes.values()].filter(
    (attribute): attribute is RelationAttribute =>
      attribute.kind === "relation" &&
      attribute.relation === "oneToOne" &&
      attribute.other !== undefined &&
      isRecord(original[attribute.name]) &&
      !replaces(submitted[attribute.name]),
  );
  const merged = replaceLinks(context, schema, merge(original, submitted), submitted);
  for (const { name } of copied) delete merged[name];
  return { data: merged, copied };
}

/** Operations on links, and entries of a to-one relation, replace what is stored. */
function replaceLinks(context: DocumentsContext, schema: Schema, merged: Data, submitted: Data): Data {
  const { components } = context.model;
  for (const [name, value] of Object.entries(submitted)) {
    const attribute = schema.attributes.get(name);
    if (attribute?.kind === "relation") {
      const isEntry = isRecord(value) && ("id" in value || "documentId" in value);
      if (isEntry || (isOperation(value) && hasEffect(value))) merged[name] = value;
    } else if (attribute && holdsComponents(attribute)) {
      const entries = [merged[name]].flat();
      for (const [index, entry] of [value].flat().entries()) {
        const stored = entries[index];
        if (!isRecord(entry) || !isRecord(stored)) continue;
        const own = attribute.kind === "zone" ? components.get(String(stored.__component)) : undefined;
        const target = attribute.kind === "component" ? component(context.model, attribute.component) : own;
        if (target) replaceLinks(context, target, stored, entry);
      }
    }
  }
  return merged;
}

/** Copies the links of an attribute from one row to another. The first row keeps its own. */
export function copyLinks({ storage }: DocumentsContext, attribute: RelationAttribute, from: number, to: number): void {
  const { near, far, order, farOrder } = linkColumns[attribute.link.side];
  const columns = `${far}, ${order}, ${farOrder}, kind, target_attribute`;
  storage.run(
    `INSERT INTO galley_links (field, ${near}, ${columns}) SELECT field, ?, ${columns} FROM galley_links WHERE field = ? AND ${near} = ?`,
    [to, storage.number(attribute.link.field), from],
  );
}

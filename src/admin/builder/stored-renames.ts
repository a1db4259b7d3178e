/** Renamed attributes in terms of tables and columns. */
import type { Component, ContentType, Model } from "../../engine/schema/model.ts";
import { resolveModel } from "../../engine/schema/resolve.ts";
import type { StoredRename } from "../../engine/storage/attribute-renames.ts";
import type { AdminServices } from "../services.ts";
import type { AttributeRename, SchemaEdit } from "./schema-edit.ts";

/** The model after the change. */
export function modelAfter({ settings }: Pick<AdminServices, "settings">, edit: SchemaEdit): Model {
  const { privateAttributes, galley } = settings;
  return resolveModel(edit.result, { privateAttributes, customFields: galley.customFields ?? {} });
}

const findSchema = (model: Model, uid: string): ContentType | Component | undefined =>
  model.types.get(uid) ?? model.components.get(uid);

/** A component that is moved to another category keeps its table. */
export const findByTable = ({ types, components }: Model, table: string): ContentType | Component | undefined =>
  [...types.values(), ...components.values()].find((schema) => schema.table === table);

/** Skips attributes whose type has changed at the same time, and those without stored values. */
export function storedRenames(before: Model, after: Model, renames: readonly AttributeRename[]): StoredRename[] {
  return renames.flatMap(({ uid, from, to }): StoredRename[] => {
    const schema = findSchema(before, uid);
    const old = schema?.attributes.get(from);
    const next = schema && findByTable(after, schema.table)?.attributes.get(to);
    if (!schema || !old || !next) return [];
    if (old.kind === "scalar") {
      return next.kind === "scalar" ? [{ table: schema.table, column: [old.column, next.column] }] : [];
    }
    if (next.kind === "scalar") return [];
    const [shown, shownNext] = [old.link.targetAttribute, next.link.targetAttribute];
    if (shown !== undefined && shownNext !== undefined)
      return [{ table: schema.table, targetAttribute: [shown, shownNext] }];
    if (old.link.field === "" || old.link.side !== "owner" || next.link.side !== "owner") return [];
    return [{ table: schema.table, field: [old.link.field, next.link.field] }];
  });
}

/** The data of a row in the form that hooks get. */

import { isPasswordHash } from "../../engine/documents/passwords.ts";
import type { Data, Hashes } from "../../engine/documents/rows.ts";
import type { Attribute, Schema } from "../../engine/schema/model.ts";

/** With passwords as hashes, as in Strapi. `hashes` has the passwords of the data. */
export function createHookData(schema: Schema, given: Data, hashes: Hashes): Data {
  const data: Data = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = schema.attributes.get(name);
    const isPassword = attribute?.kind === "scalar" && attribute.type.isSecret && typeof value === "string";
    data[name] = isPassword ? (hashes.get(value) ?? value) : value;
  }
  return data;
}

/** What a column or link of a new row has without a value. Components are linked by others. */
function insertedValue(attribute: Attribute | undefined): unknown {
  if (attribute?.kind === "scalar") return attribute.definition.default ?? null;
  return attribute?.kind === "relation" || attribute?.kind === "media" ? { set: [] } : undefined;
}

/** The values of a copy that hooks have changed. As in Strapi, where a copy is a new row, those that they remove are its defaults. */
export function changedValues(schema: Schema, before: Data, after: Data): Data {
  const names = Object.keys({ ...before, ...after }).filter((name) => !Bun.deepEquals(before[name], after[name]));
  const entries = names.map((name) => {
    const value = after[name];
    return [name, value === undefined ? insertedValue(schema.attributes.get(name)) : value];
  });
  return Object.fromEntries(entries);
}

/** The passwords that are hashes already, mapped to themselves: hooks get and return hashes. */
export const asHashes = (passwords: Iterable<string>): Hashes =>
  new Map([...passwords].filter(isPasswordHash).map((hash) => [hash, hash]));

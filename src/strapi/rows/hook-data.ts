/** The data of a row in the form that hooks get. */

import { isPasswordHash } from "../../engine/documents/passwords.ts";
import type { Data, Hashes } from "../../engine/documents/rows.ts";
import type { Schema } from "../../engine/schema/model.ts";

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

/** The names of values that hooks have changed. */
export const changedKeys = (before: Data, after: Data): string[] =>
  Object.keys(after).filter((name) => !Bun.deepEquals(before[name], after[name]));

/** The passwords that are hashes already, mapped to themselves: hooks get and return hashes. */
export const asHashes = (passwords: Iterable<string>): Hashes =>
  new Map([...passwords].filter(isPasswordHash).map((hash) => [hash, hash]));

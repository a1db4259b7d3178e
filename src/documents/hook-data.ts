/**
 * The data of a row in the form that hooks get. In the reference, hooks run after components were written, so they get
 * references to them, and passwords as hashes.
 */
import type { ContentType } from "../schema/model.ts";
import { isPasswordHash } from "./passwords.ts";
import type { Data, Hashes } from "./rows.ts";

export interface HookData {
  readonly data: Data;
  /** The data to store, with the changes that hooks have made. */
  readonly restore: () => Data;
}

/** `hashes` has the passwords of the data. */
export function hookDataOf(type: ContentType, given: Data, hashes: Hashes): HookData {
  const components = new WeakMap<object, unknown>();
  const reference = (value: unknown, fields: Data): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const stand = { ...fields };
    components.set(stand, value);
    return stand;
  };
  const each = (value: unknown, map: (item: unknown) => unknown): unknown =>
    Array.isArray(value) ? value.map(map) : map(value);
  const data: Data = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = type.attributes.get(name);
    if (attribute?.kind === "component") {
      const pivot = { field: name, component_type: attribute.component };
      data[name] = each(value, (item) => reference(item, { __pivot: pivot }));
    } else if (attribute?.kind === "zone") {
      const pivot = { field: name };
      data[name] = each(value, (item) =>
        reference(item, { __component: (item as Data | null)?.__component, __pivot: pivot }),
      );
    } else if (attribute?.kind === "scalar" && attribute.type.isSecret && typeof value === "string") {
      data[name] = hashes.get(value) ?? value;
    } else data[name] = value;
  }
  const original = (item: unknown): unknown =>
    typeof item === "object" && item !== null ? (components.get(item) ?? item) : item;
  const restore = (): Data => {
    const stored: Data = {};
    for (const [name, value] of Object.entries(data)) {
      const kind = type.attributes.get(name)?.kind;
      stored[name] = kind === "component" || kind === "zone" ? each(value, original) : value;
    }
    return stored;
  };
  return { data, restore };
}

/** The names of values that hooks have changed. */
export const changedKeys = (before: Data, after: Data): string[] =>
  Object.keys(after).filter((name) => !Bun.deepEquals(before[name], after[name]));

/** The passwords that are hashes already, mapped to themselves: hooks get and return hashes. */
export const asHashes = (passwords: Iterable<string>): Hashes =>
  new Map([...passwords].filter(isPasswordHash).map((hash) => [hash, hash]));

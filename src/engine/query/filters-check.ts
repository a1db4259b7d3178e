/** Checks the keys of the `filters` parameter in the reference's order. */

import { isRecord } from "../../lib/is-record.ts";
import { type Model, type Schema, targetOf } from "../schema/model.ts";
import { joinPath, type KeyAccess, KeyCheck } from "./key-check.ts";
import { isOperator } from "./operators.ts";
import { isIdKey } from "./tree.ts";

/** Whether an object contains conditions, rather than being an operand itself. */
const isFilterLike = (value: Record<string, unknown>, schema: Schema): boolean =>
  Object.keys(value).some((key) => isOperator(key) || schema.attributes.has(key));

function check(model: Model, keys: KeyCheck, value: unknown, schema: Schema, path: string | null): void {
  if (Array.isArray(value)) {
    for (const item of value) check(model, keys, item, schema, path);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const attribute = schema.attributes.get(key);
    if (attribute) {
      const here = joinPath(path, key);
      keys.attribute(schema, attribute, here);
      if (inner === null || inner === undefined) continue;
      if (attribute.kind === "scalar") {
        // below a scalar attribute, the reference expects attributes of the same type
        if (isRecord(inner)) check(model, keys, inner, schema, here);
        continue;
      }
      const target =
        attribute.kind === "relation" && attribute.link.polymorphic ? undefined : targetOf(model, attribute);
      if (target) check(model, keys, inner, target, here);
      continue;
    }
    if (!isIdKey(key) && !isOperator(key)) keys.report("unknown", { key, path });
    if (isOperator(key) && key !== "$not" && isRecord(inner) && !isFilterLike(inner, schema)) continue;
    check(model, keys, inner, schema, path);
  }
}

/** Throws "Invalid key" for the first key that is unknown or hidden from the caller. */
export function checkFilters(model: Model, schema: Schema, filters: unknown, ...access: KeyAccess): void {
  const keys = new KeyCheck(...access);
  check(model, keys, filters, schema, null);
  keys.finish("filters");
}

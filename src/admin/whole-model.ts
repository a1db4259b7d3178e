/** The model without private attributes, for the admin. Cached per model. */

import { program } from "../engine/query/check-query.ts";
import { type Params, readQuery } from "../engine/query/parse.ts";
import { type CheckedQuery, isIdKey } from "../engine/query/tree.ts";
import { contentType, findTarget, type Model, type Schema } from "../engine/schema/model.ts";
import { rawModel } from "../engine/schema/raw-model.ts";
import { ApiError, validationError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseSort } from "./sort.ts";

const models = new WeakMap<Model, Model>();

export function wholeModel(model: Model): Model {
  const found = models.get(model) ?? rawModel(model);
  models.set(model, found);
  return found;
}

/** Removes conditions on unknown keys, as Strapi does in the media library and in lists of relations. */
export function knownFilters(model: Model, schema: Schema | undefined, filters: unknown): unknown {
  if (Array.isArray(filters)) return filters.map((item) => knownFilters(model, schema, item));
  if (!isRecord(filters) || !schema) return filters;
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, value]) => {
      if (key.startsWith("$")) return [[key, knownFilters(model, schema, value)]];
      const attribute = schema.attributes.get(key);
      if (!attribute) return isIdKey(key) ? [[key, value]] : [];
      return [[key, attribute.kind === "scalar" ? value : knownFilters(model, findTarget(model, attribute), value)]];
    }),
  );
}

/** The media library refuses keys without details. */
function withoutDetails<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isKey = error instanceof ApiError && error.message.startsWith("Invalid key");
    throw isKey ? validationError(error.message) : error;
  }
}

/** Parameters of a list of the administrator: `filters`, `sort`, `fields`, `populate`, `_q`. Throws a ValidationError. */
export function readWholeQuery(model: Model, uid: string, params: Params): CheckedQuery {
  const whole = wholeModel(model);
  const type = contentType(whole, uid);
  withoutDetails(() => parseSort(whole, type, params.sort));
  // a string has no effect, as in Strapi
  const filters = typeof params.filters === "string" ? undefined : knownFilters(whole, type, params.filters);
  return withoutDetails(() => readQuery(whole, type, { ...params, filters }, program));
}

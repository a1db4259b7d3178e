/** Sort keys of the administrator's lists. */

import { readSort } from "../engine/query/list-params.ts";
import type { SortKey } from "../engine/query/tree.ts";
import type { ContentType, Model } from "../engine/schema/model.ts";
import { ApiError, invalidKeyError } from "../lib/errors.ts";

/** The attributes that a key names, without its order. */
const namesOf = (part: unknown): string =>
  typeof part === "string" ? part.split(":")[0]!.trim() : Object.keys(part as object).join(".");

const partsOf = (sort: unknown): unknown[] =>
  (Array.isArray(sort) ? sort : typeof sort === "string" ? sort.split(",") : [sort]).filter(Boolean);

/** Throws "Invalid key" for unknown attributes. */
export const sortOf = (model: Model, type: ContentType, sort: unknown): SortKey[] =>
  partsOf(sort).flatMap((part) => {
    try {
      return readSort(model, type, part);
    } catch (error) {
      if (!(error instanceof ApiError) || error.message !== "Invalid sort query") throw error;
      const key = namesOf(part);
      throw invalidKeyError({ key, path: type.attributes.has(key) ? key : null });
    }
  });

/** Lists of documents refuse unknown attributes before invalid orders. */
export function checkSortedNames(model: Model, type: ContentType, sort: unknown): void {
  for (const part of partsOf(sort)) if (typeof part === "string") sortOf(model, type, namesOf(part));
}

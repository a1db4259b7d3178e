/** Sort keys of the administrator's lists. */

import { readSort } from "../engine/query/list-params.ts";
import type { SortKey } from "../engine/query/tree.ts";
import type { ContentType, Model } from "../engine/schema/model.ts";
import { ApiError, invalidKeyError } from "../lib/errors.ts";

/** The attributes that a key names, without its order. */
const readPath = (part: unknown): string =>
  typeof part === "string" ? part.split(":")[0]!.trim() : Object.keys(part as object).join(".");

const splitSort = (sort: unknown): unknown[] =>
  (Array.isArray(sort) ? sort : typeof sort === "string" ? sort.split(",") : [sort]).filter(Boolean);

/** Throws "Invalid key" for unknown attributes. */
export const parseSort = (model: Model, type: ContentType, sort: unknown): SortKey[] =>
  splitSort(sort).flatMap((part) => {
    try {
      return readSort(model, type, part);
    } catch (error) {
      if (!(error instanceof ApiError) || error.message !== "Invalid sort query") throw error;
      const key = readPath(part);
      throw invalidKeyError({ key, path: type.attributes.has(key) ? key : null });
    }
  });

/** Lists of documents refuse unknown attributes before invalid orders. */
export function checkSortedNames(model: Model, type: ContentType, sort: unknown): void {
  for (const part of splitSort(sort)) if (typeof part === "string") parseSort(model, type, readPath(part));
}

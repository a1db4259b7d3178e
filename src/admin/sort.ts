/** Sort keys of the administrator's lists. */
import { ApiError, invalidKeyError } from "../errors.ts";
import { readSort } from "../query/sort.ts";
import type { SortKey } from "../query/tree.ts";
import type { ContentType, Model } from "../schema/model.ts";

/** Throws "Invalid key" for unknown attributes. */
export function sortOf(model: Model, type: ContentType, sort: unknown): SortKey[] {
  const parts = (Array.isArray(sort) ? sort : typeof sort === "string" ? sort.split(",") : [sort]).filter(Boolean);
  return parts.flatMap((part) => {
    try {
      return readSort(model, type, part);
    } catch (error) {
      if (!(error instanceof ApiError) || error.message !== "Invalid sort query") throw error;
      const key = typeof part === "string" ? part.split(":")[0]!.trim() : Object.keys(part as object).join(".");
      throw invalidKeyError({ key, path: null });
    }
  });
}

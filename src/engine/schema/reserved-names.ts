import { snakeCase } from "./names.ts";

/** Strapi's reserved names of types and attributes; a `*` at the end matches any ending. */
export const reservedNames: { readonly models: readonly string[]; readonly attributes: readonly string[] } = {
  models: ["boolean", "date", "date_time", "time", "upload", "document", "then", "strapi*", "_strapi*", "__strapi*"],
  attributes: [
    "id",
    "document_id",
    "created_at",
    "updated_at",
    "published_at",
    "created_by_id",
    "updated_by_id",
    "created_by",
    "updated_by",
    "entry_id",
    "localizations",
    "meta",
    "locale",
    "__component",
    "__contentType",
    "strapi*",
    "_strapi*",
    "__strapi*",
    "status",
  ],
};

/** Names are compared in snake case, which has no leading underscores, so that listed names that begin with them match nothing. */
export function isReserved(name: string, reserved: readonly string[]): boolean {
  const snake = snakeCase(name);
  return reserved.some((word) => (word.endsWith("*") ? snake.startsWith(word.slice(0, -1)) : snake === word));
}

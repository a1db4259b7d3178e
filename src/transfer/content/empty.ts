/** Checks whether a database is empty. Separate from loading, since every start does it. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";

/** Whether the database has no documents of the project's types and no media. */
export const isEmpty = ({ storage, model }: DocumentsContext): boolean =>
  [contentType(model, FILE), ...apiTypes(model)].every(
    ({ table }) => storage.first(`SELECT 1 FROM ${quote(table)} LIMIT 1`) === undefined,
  );

/** Users as targets of links: `users/<username>`. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { LinkTarget } from "./link-input.ts";

const USERS = "users/";

export function findUser({ storage, model }: DocumentsContext, name: string): LinkTarget | undefined {
  if (!name.startsWith(USERS)) return undefined;
  const sql = `SELECT document_id FROM ${quote(contentType(model, USER).table)} WHERE username = ?`;
  const row = storage.first(sql, [name.slice(USERS.length)]);
  return row && { uid: USER, documentId: row[0] as string };
}

/** Users as targets of links: `users/<username>`. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";

const USERS = "users/";

export const isUserName = (name: string): boolean => name.startsWith(USERS);

export const userName = (name: string): string => name.slice(USERS.length);

/** The uid and document id of the user; undefined if there is none of that name. */
export function findUser({ storage, model }: DocumentsContext, name: string) {
  if (!isUserName(name)) return undefined;
  const sql = `SELECT document_id FROM ${quote(contentType(model, USER).table)} WHERE username = ?`;
  const row = storage.first(sql, [userName(name)]);
  return row && { uid: USER, documentId: row[0] as string };
}

/** Users in the content manager: a taken name or email is refused before other validation. */

import { isEmail } from "../../engine/attributes/email.ts";
import type { Document } from "../../engine/query/select.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { checkBody, notEmpty } from "../../lib/shape.ts";
import { type Fields, objectOf, text } from "../body.ts";
import type { Body } from "../call.ts";
import type { AdminServices } from "../services.ts";
import type { Writes } from "./writes.ts";

export const validEmail = (value: string, path: string) =>
  isEmail(value) ? undefined : `${path} must be a valid email`;

const fields = (isNew: boolean): Fields => ({
  email: { ...text, required: isNew, tests: [validEmail] },
  username: { ...text, required: isNew, tests: [notEmpty] },
  password: { ...text, nullable: !isNew, required: isNew },
  role: { type: "mixed", strict: true, required: isNew },
});

const check = (body: Body, isNew: boolean) => checkBody(objectOf(fields(isNew)), body);

/** What decides whether a user may be written. */
type UserServices = Pick<AdminServices, "context" | "settings">;

function refuseTaken({ context, settings }: UserServices, { username, email }: Body, documentId?: string): void {
  const table = quote(contentType(context.model, USER).table);
  const isTaken = (column: string, value: unknown): boolean => {
    const sql = `SELECT 1 FROM ${table} WHERE ${column} = ? AND document_id IS NOT ? LIMIT 1`;
    return typeof value === "string" && context.storage.first(sql, [value, documentId ?? null]) !== undefined;
  };
  if (isTaken("username", username)) throw applicationError("Username already taken");
  if (settings.auth.uniqueEmail && isTaken("email", email)) throw applicationError("Email already taken");
}

const withLowerCaseEmail = (body: Body): Body =>
  typeof body.email === "string" ? { ...body, email: body.email.toLowerCase() } : body;

/** Returns the user without `data` and `meta`, as Strapi does. Throws a ValidationError or an ApplicationError. */
export async function createUser(services: UserServices, writes: Writes, input: Body): Promise<Document> {
  check(input, true);
  const body = withLowerCaseEmail(input);
  refuseTaken(services, body);
  return writes.envelope(await writes.create({ ...body, provider: "local" }), true).data;
}

/** As `createUser`. An empty password is ignored. */
export async function updateUser(
  services: UserServices,
  writes: Writes,
  documentId: string,
  input: Body,
): Promise<Document> {
  if (!writes.exists(documentId)) throw notFound("Entity not found");
  check(input, false);
  const { password, ...rest } = withLowerCaseEmail(input);
  refuseTaken(services, rest, documentId);
  const keepsPassword = password === undefined || password === null || password === "";
  return writes.envelope(await writes.update(documentId, keepsPassword ? rest : { ...rest, password })).data;
}

/** Bodies of the content manager: the data of a document, with its locale among its attributes. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Data } from "../../engine/documents/rows.ts";
import type { Status } from "../../engine/query/reading.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { holdsComponents, mapComponents } from "../../engine/schema/entries.ts";
import { type ContentType, contentType, type Model, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { unstorable } from "../../lib/coerce.ts";
import { ApiError, applicationError, problemsError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { type Fields, ids, objectBody, objectOf, text } from "../body.ts";
import type { AdminCall, Body } from "../call.ts";
import { isDisplayed } from "./types.ts";

/** As a body names them. */
export const dimensions = {
  locale: { ...text, nullable: true },
  status: { ...text, oneOf: ["draft", "published"] },
} as const satisfies Fields;

/** Throws a ValidationError for a locale that is no string, and for an unknown status. */
export function readDimensions(body: unknown) {
  const sent = isRecord(body) ? body.status : undefined;
  if (sent !== undefined && !dimensions.status.oneOf.some((status) => status === sent))
    throw problemsError([{ path: "status", message: "Invalid status" }]);
  const { locale, status } = checkBody(objectOf(dimensions), body);
  return { locale: (locale as string | null | undefined) || undefined, status: status as Status | undefined };
}

/**
 * Throws an ApplicationError for a document in a locale that the project does not have. As in Strapi, one known locale of a list is
 * enough.
 */
export function checkLocale({ storage, model }: DocumentsContext, type: ContentType, body: unknown): void {
  if (!type.localized || !isRecord(body)) return;
  const { locale } = body;
  if (!locale) return;
  const codes = [locale].flat().filter((code) => typeof code === "string");
  const sql = `SELECT 1 FROM ${quote(contentType(model, LOCALE).table)} WHERE code IN (SELECT value FROM json_each(?)) LIMIT 1`;
  if (!storage.first(sql, [JSON.stringify(codes)])) throw applicationError("This locale doesn't exist");
}

/** The body of a request for a type. A locale in the query overrides that of the body. Throws an ApplicationError for an unknown one. */
export async function bodyWithLocale(context: DocumentsContext, call: AdminCall, type: ContentType): Promise<Body> {
  const input = await objectBody(call);
  const { locale } = call.query();
  const written = type.localized && locale ? { ...input, locale } : input;
  checkLocale(context, type, written);
  return written;
}

/** Locales of a bulk action: one, several, or `*` for all. */
export function readLocales({ locale }: Readonly<Record<string, unknown>>): string | readonly string[] | undefined {
  if (locale === undefined || locale === null || locale === "") return undefined;
  if (typeof locale === "string") return locale;
  if (Array.isArray(locale) && locale.every((item) => typeof item === "string")) return locale;
  throw problemsError([{ path: "locale", message: "locale must be a text or a list of texts" }]);
}

const MAX_ID_LENGTH = 255;

/** The id that a body gives to a new document, if any. Throws a ValidationError for one that cannot be stored. */
export function readDocumentId({ documentId }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof documentId !== "string" || documentId === "") return undefined;
  const path = "documentId";
  const isLong = documentId.length > MAX_ID_LENGTH;
  const message = isLong ? `${path} must be at most ${MAX_ID_LENGTH} characters` : unstorable(documentId, path);
  if (message) throw problemsError([{ path, message }]);
  return documentId;
}

const someIds: Shape = {
  ...ids,
  required: true,
  tests: [(list: readonly unknown[], path) => (list.length === 0 ? `${path} must have at least 1 items` : undefined)],
};

/** As they are sent: the same id may be there more than once. Throws a ValidationError for anything but a list of ids. */
export function readDocumentIds(body: unknown): string[] {
  const { documentIds } = checkBody(objectOf({ documentIds: someIds }), body);
  return (documentIds as unknown[]).map(String);
}

/** The data of a body; unknown keys are dropped, as in Strapi. */
export function readData(model: Model, schema: Schema, body: Readonly<Record<string, unknown>>): Data {
  const data: Data = Object.create(null);
  for (const [key, value] of Object.entries(body)) {
    const attribute = schema.attributes.get(key);
    if (!attribute || attribute.system || !attribute.writable) continue;
    // a list for an entry, or the reverse, is kept as it is for the error message
    if (holdsComponents(attribute) && (attribute.kind === "zone" || Array.isArray(value) === attribute.many))
      data[key] = mapComponents(model, attribute, value, (component, entry) => ({
        ...(attribute.kind === "zone" ? { __component: entry.__component } : {}),
        ...(entry.id === undefined ? {} : { id: entry.id }),
        ...readData(model, component, entry),
      }));
    else data[key] = value;
  }
  return data;
}

/**
 * In new rows, `set` works only for polymorphic links that other rows own. Strapi's panel never shows these; ours does, and sends
 * `connect`.
 */
export function connectedAsSet(schema: Schema, data: Data): Data {
  for (const [key, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(key);
    if (attribute?.kind !== "relation" || !attribute.link.polymorphic || attribute.link.side !== "inverse") continue;
    if (isRecord(value) && Array.isArray(value.connect) && !value.set) data[key] = { set: value.connect };
  }
  return data;
}

/** What a request does. Documents of types that the content manager does not show can only be read. */
export type Access = "read" | "change";

/** The content-type of a path. Throws a PolicyError if it does not exist, or if the action is not allowed. */
export function findContentType(model: Model, uid: string | undefined, access: Access = "read"): ContentType {
  const type = uid === undefined ? undefined : model.types.get(uid);
  if (!type || (access === "change" && !isDisplayed(type))) throw new ApiError("PolicyError", "Policy Failed");
  return type;
}

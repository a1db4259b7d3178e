/** Bodies of the content manager: the data of a document, with its locale among its attributes. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Data } from "../../engine/documents/rows.ts";
import type { Status } from "../../engine/query/reading.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { type ContentType, type Model, type Schema, contentType as typeOf } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { unstorable } from "../../lib/coerce.ts";
import { ApiError, applicationError, type Problem } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { AdminCall } from "../call.ts";
import { inputError } from "../input-error.ts";
import { typeName } from "./type-name.ts";

export interface Dimensions {
  readonly locale: string | undefined;
  readonly status: Status | undefined;
}

/** Throws a ValidationError for a body that is no object. */
export function parseRecord(input: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(input)) return input;
  throw inputError([{ path: "", message: `Invalid input: expected object, received ${typeName(input)}` }]);
}

/** Throws a ValidationError for a locale that is no string, and for an unknown status. */
export function readDimensions(body: unknown): Dimensions {
  const input = parseRecord(body);
  const { locale, status } = input;
  const problems: Problem[] = [];
  if (locale && typeof locale !== "string")
    problems.push({ path: "locale", message: `Invalid input: expected string, received ${typeName(locale)}` });
  if (status !== undefined && status !== "draft" && status !== "published")
    problems.push({ path: "status", message: "Invalid status" });
  if (problems.length > 0) throw inputError(problems);
  return { locale: (locale as string | undefined) || undefined, status: status as Status | undefined };
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
  const sql = `SELECT 1 FROM ${quote(typeOf(model, LOCALE).table)} WHERE code IN (SELECT value FROM json_each(?)) LIMIT 1`;
  if (!storage.first(sql, [JSON.stringify(codes)])) throw applicationError("This locale doesn't exist");
}

/** As `checkLocale`, for the query of a write. Strapi checks it before anything else of the request, if it is a string. */
export function checkQueryLocale(context: DocumentsContext, type: ContentType, { query }: AdminCall): void {
  if (!type.localized) return;
  const { locale } = query();
  if (typeof locale === "string") checkLocale(context, type, { locale });
}

/** As `bodyWithLocale`, for one document. Throws a ValidationError for several locales in the query. */
export function bodyWithOneLocale(context: DocumentsContext, call: AdminCall, type: ContentType): AdminCall["body"] {
  const body = bodyWithLocale(context, call, type);
  return () => {
    if (type.localized) readDimensions({ locale: call.query().locale });
    return body();
  };
}

/**
 * The body of a request for a localized type. A locale in the query overrides that of the body. Throws an ApplicationError for an unknown
 * locale before anything else of the body is read.
 */
export function bodyWithLocale(
  context: DocumentsContext,
  { body, rawBody, query }: AdminCall,
  type: ContentType,
): AdminCall["body"] {
  return async () => {
    const raw = await rawBody();
    if (typeof raw === "string") parseRecord(raw);
    const input = await body();
    const { locale } = query();
    const written = !type.localized || !locale || !isRecord(input) ? input : { ...input, locale };
    checkLocale(context, type, written);
    return written;
  };
}

/** Locales of a bulk action: one, several, or `*` for all. */
export function readLocales({ locale }: Readonly<Record<string, unknown>>): string | readonly string[] | undefined {
  if (locale === undefined || locale === null || locale === "") return undefined;
  if (typeof locale === "string") return locale;
  if (Array.isArray(locale) && locale.every((item) => typeof item === "string")) return locale;
  throw inputError([{ path: "locale", message: "Invalid input" }]);
}

const MAX_ID_LENGTH = 255;

/** The id that a body gives to a new document, if any. Throws a ValidationError for one that cannot be stored. */
export function readDocumentId({ documentId }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof documentId !== "string" || documentId === "") return undefined;
  const path = "documentId";
  if (documentId.length > MAX_ID_LENGTH)
    throw inputError([{ path, message: `Too big: expected string to have <=${MAX_ID_LENGTH} characters` }]);
  const message = unstorable(documentId, path);
  if (message) throw inputError([{ path, message }]);
  return documentId;
}

/** What is wrong with the id of a document: a string, or an integer that is not negative. */
function idProblem(id: unknown): string | undefined {
  if (typeof id === "string") return undefined;
  if (typeof id !== "number" || !Number.isInteger(id)) return "Invalid input";
  return id < 0 ? "Too small: expected number to be >=0" : undefined;
}

/** The problems of a list of ids. */
export function idProblems(ids: readonly unknown[], path: string): Problem[] {
  return ids.flatMap((id, index) => {
    const message = idProblem(id);
    return message === undefined ? [] : [{ path: `${path}[${index}]`, message }];
  });
}

/** As they are sent: the same id may be there more than once. Throws a ValidationError for anything but a list of ids. */
export function readDocumentIds(body: unknown): string[] {
  const { documentIds: ids } = parseRecord(body);
  const path = "documentIds";
  if (!Array.isArray(ids))
    throw inputError([{ path, message: `Invalid input: expected array, received ${typeName(ids)}` }]);
  if (ids.length === 0) throw inputError([{ path, message: "Too small: expected array to have >=1 items" }]);
  const problems = idProblems(ids, path);
  if (problems.length > 0) throw inputError(problems);
  return ids.map(String);
}

/** The data of a body; unknown keys are dropped, as in Strapi. */
export function readData(model: Model, schema: Schema, body: Readonly<Record<string, unknown>>): Data {
  const data: Data = Object.create(null);
  for (const [key, value] of Object.entries(body)) {
    const attribute = schema.attributes.get(key);
    if (!attribute || attribute.system || !attribute.writable) continue;
    if (attribute.kind === "component") {
      const inner = model.components.get(attribute.component);
      // a list for an entry, or the reverse, is kept as it is for the error message
      const isExpectedKind = inner && Array.isArray(value) === attribute.many;
      data[key] = isExpectedKind ? eachEntry(value, (entry) => readComponent(model, inner, entry)) : value;
    } else if (attribute.kind === "zone") {
      data[key] = eachEntry(value, (entry) => {
        const inner = typeof entry.__component === "string" ? model.components.get(entry.__component) : undefined;
        return inner ? { __component: entry.__component, ...readComponent(model, inner, entry) } : entry;
      });
    } else data[key] = value;
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

const readComponent = (model: Model, schema: Schema, entry: Data): Data => ({
  ...(entry.id === undefined ? {} : { id: entry.id }),
  ...readData(model, schema, entry),
});

function eachEntry(value: unknown, map: (entry: Data) => Data): unknown {
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? map(item) : item));
  return isRecord(value) ? map(value) : value;
}

const isShown = ({ definition }: ContentType): boolean => {
  const manager = definition.pluginOptions?.["content-manager"];
  return !isRecord(manager) || manager.visible !== false;
};

/** What a request does. Documents of types that the content manager does not show can only be read. */
export type Access = "read" | "change";

/** The content-type of a path. Throws a PolicyError if it does not exist, or if the action is not allowed. */
export function findContentType(model: Model, uid: string | undefined, access: Access = "read"): ContentType {
  const type = uid === undefined ? undefined : model.types.get(uid);
  if (!type || (access === "change" && !isShown(type))) throw new ApiError("PolicyError", "Policy Failed");
  return type;
}

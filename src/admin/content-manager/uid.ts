/** `/content-manager/uid`: generates unique values of uid attributes, and checks whether a value is available. */
import type slugify from "@sindresorhus/slugify";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType, ScalarAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { type Problem, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import { inputError } from "../input-error.ts";
import { parseRecord, readDimensions } from "./input.ts";
import { typeName } from "./type-name.ts";

/** Longer texts are truncated before they are converted to a uid. */
const MAX_SOURCE = 1_000;
const PATTERN = /^[A-Za-z0-9-_.~]*$/;

interface UidField {
  readonly type: ContentType;
  readonly attribute: ScalarAttribute;
  readonly locale: string | null;
}

/** Throws a ValidationError unless the field is a uid attribute and the locale is a string; `problems`: those found in the rest of the body. */
function readField(context: DocumentsContext, body: Body, locale: unknown, problems: readonly Problem[]): UidField {
  const all = ["contentTypeUID", "field"].flatMap((path): Problem[] =>
    typeof body[path] === "string"
      ? []
      : [{ path, message: `Invalid input: expected string, received ${typeName(body[path])}` }],
  );
  if (all.length + problems.length > 0) throw inputError([...all, ...problems]);
  const { locale: requestedLocale = context.defaultLocale() } = readDimensions({ locale });
  const type = context.model.types.get(body.contentTypeUID as string);
  if (!type) throw validationError("ContentType not found");
  const attribute = type.attributes.get(body.field as string);
  if (attribute?.kind !== "scalar" || attribute.definition.type !== "uid")
    throw validationError(`${String(body.field)} must be a valid \`uid\` attribute`);
  return { type, attribute, locale: type.localized ? requestedLocale : null };
}

function isTaken({ storage }: DocumentsContext, { type, attribute, locale }: UidField, value: string): boolean {
  const status = type.draftAndPublish ? "draft" : "published";
  const sql = `SELECT 1 FROM ${quote(type.table)} WHERE ${quote(attribute.column)} = ? AND status = ? AND locale IS ? LIMIT 1`;
  return storage.first(sql, [value, status, locale]) !== undefined;
}

/** The value, with the first number appended that makes it unique if it is taken. */
function freeValue({ storage }: DocumentsContext, field: UidField, value: string): string {
  const { type, attribute, locale } = field;
  const column = quote(attribute.column);
  const status = type.draftAndPublish ? "draft" : "published";
  const sql = `SELECT ${column} FROM ${quote(type.table)} WHERE substr(${column}, 1, ?) = ? AND status = ? AND locale IS ?`;
  const taken = new Set(storage.all(sql, [value.length, value, status, locale]).map(([found]) => found));
  if (!taken.has(value)) return value;
  let number = 1;
  while (taken.has(`${value}-${number}`)) number++;
  return `${value}-${number}`;
}

function sourceText({ type, attribute }: UidField, data: Body): string {
  const { targetField, default: byDefault } = attribute.definition;
  const source = typeof targetField === "string" ? data[targetField] : undefined;
  if (typeof source === "string" && source !== "") return source;
  return typeof byDefault === "string" && byDefault !== "" ? byDefault : type.singularName;
}

async function generate(context: DocumentsContext, { rawBody, query }: AdminCall): Promise<unknown> {
  const input = parseRecord(await rawBody());
  const problems = isRecord(input.data)
    ? []
    : [{ path: "data", message: `Invalid input: expected object, received ${typeName(input.data)}` }];
  const field = readField(context, input, query().locale ?? input.locale, problems);
  return { data: generateValue(context, field, input.data as Body) };
}

function generateValue(context: DocumentsContext, field: UidField, data: Body): string {
  const slug = require("@sindresorhus/slugify") as typeof slugify;
  const { options } = field.attribute.definition;
  const text = sourceText(field, data).slice(0, MAX_SOURCE);
  return freeValue(context, field, slug(text, isRecord(options) ? options : undefined));
}

/** A unique value for a new document. */
export const freeUid = (
  context: DocumentsContext,
  type: ContentType,
  attribute: ScalarAttribute,
  data: Body,
  locale: string | undefined,
): string =>
  generateValue(
    context,
    { type, attribute, locale: type.localized ? (locale ?? context.defaultLocale()) : null },
    data,
  );

async function checkAvailability(context: DocumentsContext, { rawBody, query }: AdminCall): Promise<unknown> {
  const input = parseRecord(await rawBody());
  const { value } = input;
  const problems: Problem[] = [];
  if (typeof value !== "string")
    problems.push({ path: "value", message: `Invalid input: expected string, received ${typeName(value)}` });
  else if (!PATTERN.test(value)) {
    const message = `Must match the custom regex or the default one "${PATTERN}"`;
    problems.push({ path: "value", message });
  }
  const field = readField(context, input, query().locale ?? input.locale, problems);
  const isAvailable = !isTaken(context, field, value as string);
  return { isAvailable, suggestion: isAvailable ? null : freeValue(context, field, value as string) };
}

export const uidRoutes = (context: DocumentsContext): AdminRoute[] => [
  route("POST", "/content-manager/uid/generate", async (call) => ok(await generate(context, call))),
  route("POST", "/content-manager/uid/check-availability", async (call) => ok(await checkAvailability(context, call))),
];

/** `/content-manager/uid`: generates unique values of uid attributes, and checks whether a value is available. */
import type slugify from "@sindresorhus/slugify";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType, ScalarAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { anyObject, type Fields, objectBody, objectOf, requiredText } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import { editedStatus } from "../read-rows.ts";
import { dimensions } from "./input.ts";

/** Longer texts are truncated before they are converted to a uid. */
const MAX_SOURCE = 1_000;
const PATTERN = /^[A-Za-z0-9-_.~]*$/;

interface UidField {
  readonly type: ContentType;
  readonly attribute: ScalarAttribute;
  readonly locale: string | null;
}

/** Throws a ValidationError unless the field is a uid attribute; `fields`: the rest of the body. */
async function readField<T>(context: DocumentsContext, call: AdminCall, fields: Fields) {
  const shape: Shape = objectOf({
    contentTypeUID: requiredText,
    field: requiredText,
    locale: dimensions.locale,
    ...fields,
  });
  const { locale: queryLocale } = call.query();
  const body = await objectBody(call);
  const input = checkBody(shape, queryLocale ? { ...body, locale: queryLocale } : body);
  const type = context.model.types.get(input.contentTypeUID as string);
  if (!type) throw validationError("ContentType not found");
  const attribute = type.attributes.get(input.field as string);
  if (attribute?.kind !== "scalar" || attribute.definition.type !== "uid")
    throw validationError(`${String(input.field)} must be a valid \`uid\` attribute`);
  const locale = type.localized ? (input.locale as string | undefined) || context.defaultLocale() : null;
  const field: UidField = { type, attribute, locale };
  return { field, input: input as T };
}

function isTaken({ storage }: DocumentsContext, { type, attribute, locale }: UidField, value: string): boolean {
  const sql = `SELECT 1 FROM ${quote(type.table)} WHERE ${quote(attribute.column)} = ? AND status = ? AND locale IS ? LIMIT 1`;
  return storage.first(sql, [value, editedStatus(type), locale]) !== undefined;
}

/** The value, with the first number appended that makes it unique if it is taken. */
function freeValue({ storage }: DocumentsContext, field: UidField, value: string): string {
  const { type, attribute, locale } = field;
  const column = quote(attribute.column);
  const sql = `SELECT ${column} FROM ${quote(type.table)} WHERE substr(${column}, 1, ?) = ? AND status = ? AND locale IS ?`;
  const taken = new Set(storage.all(sql, [value.length, value, editedStatus(type), locale]).map(([found]) => found));
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

async function generate(context: DocumentsContext, call: AdminCall): Promise<unknown> {
  const { field, input } = await readField<{ data: Body }>(context, call, { data: { ...anyObject, required: true } });
  return { data: generateValue(context, field, input.data) };
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

const fits = (value: string) =>
  PATTERN.test(value) ? undefined : `Must match the custom regex or the default one "${PATTERN}"`;

async function checkAvailability(context: DocumentsContext, call: AdminCall): Promise<unknown> {
  const fields = { value: { ...requiredText, tests: [fits] } };
  const { field, input } = await readField<{ value: string }>(context, call, fields);
  const isAvailable = !isTaken(context, field, input.value);
  return { isAvailable, suggestion: isAvailable ? null : freeValue(context, field, input.value) };
}

export const uidRoutes = (context: DocumentsContext): AdminRoute[] => [
  route("POST", "/content-manager/uid/generate", async (call) => ok(await generate(context, call))),
  route("POST", "/content-manager/uid/check-availability", async (call) => ok(await checkAvailability(context, call))),
];

/** The checks that `rest.strictParams` and `documents.strictParams` of config/api turn on: parameter names and values. */
import { invalidKeyError, validationError } from "../../lib/errors.ts";
import type { Params } from "./parse.ts";

const names: ReadonlySet<string> = new Set([
  "filters",
  "sort",
  "fields",
  "populate",
  "status",
  "locale",
  "page",
  "pageSize",
  "start",
  "limit",
  "_q",
  "publicationFilter",
  "hasPublishedVersion",
  "pagination",
  "count",
  "ordering",
]);

/** Whether the Content API has a parameter. */
export const isParameter = (name: string): boolean => names.has(name);

/** Throws "Invalid key" for the first parameter that neither the Content API nor `own` has. */
export function checkNames(params: Params, own: Params = {}): void {
  const key = Object.keys(params).find((name) => !names.has(name) && !Object.hasOwn(own, name));
  if (key !== undefined) throw invalidKeyError({ key, path: null }, { source: "query", param: key });
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";
const LOCALE = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/;
const MAX_LOCALE_LENGTH = 35;

function checkLocale(value: unknown, path: string): void {
  const at = `Invalid parameter at '${path}'.`;
  if (typeof value !== "string")
    throw validationError(`${at} Expected a string, received: ${typeof value}`, { received: value });
  if (value.length > MAX_LOCALE_LENGTH)
    throw validationError(`${at} Locale exceeds maximum length of ${MAX_LOCALE_LENGTH} characters.`);
  if (value !== "*" && !LOCALE.test(value))
    throw validationError(`${at} Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).`);
}

function checkLocales(locale: unknown): void {
  if (Array.isArray(locale)) {
    const texts = locale.filter((item) => typeof item === "string" && item !== "");
    for (const [index, text] of texts.entries()) checkLocale(text, `locale[${index}]`);
  } else if (typeof locale === "object") {
    const expected = "Expected a string, array of strings, empty string, null, or undefined; received: object";
    throw validationError(`Invalid parameter at 'locale'. ${expected}`, { received: locale });
  } else checkLocale(locale, "locale");
}

const numbers = [
  { name: "page", least: 1, all: false },
  { name: "pageSize", least: 1, all: false },
  { name: "start", least: 0, all: false },
  { name: "limit", least: 1, all: true },
] as const;

function checkNumber(value: unknown, { name, least, all }: (typeof numbers)[number]): void {
  const number = Number(value);
  if (isEmpty(value) || (Number.isInteger(number) && (number >= least || (all && number === -1)))) return;
  const expected = `integer >= ${least}${all ? " or -1" : ""}`;
  throw validationError(`Invalid parameter at '${name}'. Expected ${expected}, received: ${value}`);
}

/**
 * Throws a ValidationError for an invalid status, locale or number. A `paged` operation has start and limit from
 * `pagination`, so that `page` beside them mixes both styles.
 */
export function checkValues(params: Params, paged: boolean): void {
  const { status, locale } = params;
  if (!isEmpty(status) && status !== "published" && status !== "draft")
    throw validationError(`Invalid parameter at 'status'. Expected 'published' or 'draft', received: ${status}`);
  if (!isEmpty(locale)) checkLocales(locale);
  const byPage = !isEmpty(params.page) || !isEmpty(params.pageSize);
  const byOffset = paged || !isEmpty(params.start) || !isEmpty(params.limit);
  if (byPage && byOffset) {
    throw validationError(
      "Invalid pagination parameters. Cannot use both page-based (page, pageSize) and offset-based (start, limit) pagination in the same query.",
    );
  }
  if (!paged) for (const row of numbers) checkNumber(params[row.name], row);
}

/** Reads status and locale from parameters. */
import { isStorable, toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Params } from "../query/parse.ts";
import { type ReadContext, readPublicationFilter } from "../query/reading.ts";
import type { Scope } from "../query/where.ts";
import type { ContentType } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";

/** As a `status`: all versions of what is populated. No client can send it. */
export const EVERY_VERSION = Symbol("every version");

const readStatus = ({ status }: Params): ReadContext["status"] => {
  if (status === EVERY_VERSION) return undefined;
  // anything but the one word reads drafts, as in Strapi
  return status === "published" ? "published" : "draft";
};

export const createReadContext = ({ storage, model }: DocumentsContext, params: Params): ReadContext => ({
  storage,
  model,
  status: readStatus(params),
  publicationFilter: readPublicationFilter(params),
});

const isGiven = (locale: unknown): boolean => locale !== undefined && locale !== null && locale !== "";

/** A top-level filter on `locale` overrides the request's locale. */
const isFiltered = (type: ContentType, { filters }: Params): boolean =>
  type.localized && isRecord(filters) && Object.hasOwn(filters, "locale");

/** For a request for one document: without a top-level filter on `documentId`, which the requested id overrides. */
export function ofDocument(params: Params): Params {
  const { filters } = params;
  if (!isRecord(filters) || !Object.hasOwn(filters, "documentId")) return params;
  const { documentId: _, ...others } = filters;
  return { ...params, filters: others };
}

/** The locales of a list: `*` means all, a list several. */
export function manyLocales(context: DocumentsContext, type: ContentType, params: Params): Scope["locales"] {
  const { locale } = params;
  if (!type.localized) return [null];
  if (locale === "*" || isFiltered(type, params)) return undefined;
  if (!isGiven(locale)) return [context.defaultLocale()];
  const list = [locale].flat();
  if (!list.every((item) => typeof item === "string")) throw invalidLocale(locale);
  return list as string[];
}

/** The locale of a single document. */
export function oneLocale(context: DocumentsContext, type: ContentType, params: Params): Scope["locales"] {
  const { locale } = params;
  if (!type.localized) return [null];
  if (isGiven(locale) && typeof locale !== "string") throw invalidLocale(locale);
  if (isFiltered(type, params)) return undefined;
  return [isGiven(locale) ? (locale as string) : context.defaultLocale()];
}

/** The locale of a write; null for types that are not localized. */
export function writtenLocale(context: DocumentsContext, type: ContentType, { locale }: Params): string | null {
  if (!type.localized) return null;
  if (!isGiven(locale)) return context.defaultLocale();
  if (typeof locale !== "string" || locale === "*") throw invalidLocale(locale);
  if (locale.length > 255 || !isStorable(locale)) throw invalidLocale("");
  return locale;
}

const invalidLocale = (locale: unknown) =>
  validationError(`Invalid locale param ${toText(locale)} provided. Document locales must be strings.`);

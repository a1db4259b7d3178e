/** `/i18n`: the locales of the project, which `config/galley.json` lists. */
import type { GalleySettings } from "../../engine/config/galley-file.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Document } from "../../engine/query/select.ts";
import { emptyQuery } from "../../engine/query/tree.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { checkBody, maxCharacters, notEmpty, type Shape } from "../../lib/shape.ts";
import { exactly, flag, objectBody, requiredFlag, requiredText, text } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import { changeConfig, previewConfig } from "../config-file.ts";
import { documentIdsOf, readRows } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";
import { isoCodes } from "./settings.ts";

interface Locale {
  readonly code: string;
  /** Null: without one. Absent: that of the language. */
  readonly name?: string | null;
  readonly isDefault?: boolean;
}

const MAX_NAME = 50;

const longName = maxCharacters(MAX_NAME);

const newShape: Shape = exactly({
  code: { ...requiredText, oneOf: isoCodes },
  name: { ...text, nullable: true, tests: [longName] },
  isDefault: requiredFlag,
});

/** The code of a locale cannot be changed: its documents are stored with it. */
const changeShape: Shape = exactly({ name: { ...text, nullable: true, tests: [notEmpty, longName] }, isDefault: flag });

export function listLocales(context: DocumentsContext): Document[] {
  const defaultCode = context.defaultLocale();
  return readRows(context, "published", emptyQuery(contentType(context.model, LOCALE))).map((row) => ({
    ...row,
    isDefault: row.code === defaultCode,
  }));
}

/** Throws a ValidationError with all problems of a new locale. */
function readNew(input: unknown): Locale {
  const { code, name, isDefault } = checkBody(newShape, input) as Body;
  return { code: code as string, name: (name as string | undefined) || null, isDefault: isDefault as boolean };
}

/** Throws a ValidationError. */
function readChange(input: unknown): Omit<Partial<Locale>, "code"> {
  const { name, isDefault } = checkBody(changeShape, input) as Body;
  return {
    ...(name === undefined ? {} : { name: name as string | null }),
    ...(isDefault === true ? { isDefault } : {}),
  };
}

/** Exactly one locale is the default. */
function withDefault(locales: readonly Locale[], changed: Locale): Locale[] {
  return locales.map(({ isDefault: before, ...locale }) => {
    const isDefault = changed.isDefault ? locale.code === changed.code : before === true;
    return isDefault ? { ...locale, isDefault } : locale;
  });
}

/** Deletes the content of a locale. */
async function deleteEntries(context: DocumentsContext, locale: string): Promise<void> {
  for (const type of context.model.types.values()) {
    if (!type.localized) continue;
    const rows = readRows(context, undefined, { ...emptyQuery(type), fields: [] }, { locales: [locale] });
    const ids = [...new Set(documentIdsOf(rows))];
    await context.documents(type).each("delete", ids, { fields: ["documentId"], locale });
  }
}

const storedLocales = (context: DocumentsContext): Locale[] =>
  listLocales(context).map(({ code, name, isDefault }) => ({ code, name, isDefault }) as Locale);

const withLocales =
  (locales: readonly Locale[]) =>
  (settings: GalleySettings): GalleySettings => ({ ...settings, locales: [...locales] });

/** Throws an ApiError for a locale that cannot be added. */
export async function addLocale(services: AdminServices, input: unknown): Promise<Locale> {
  const locale = readNew(input);
  const locales = storedLocales(services.context);
  if (locales.some(({ code }) => code === locale.code)) throw applicationError("This locale already exists");
  await changeConfig(services, withLocales(withDefault([...locales, locale], locale)));
  return locale;
}

export function localeRoutes(services: AdminServices): AdminRoute[] {
  const { context } = services;
  const listed = (): Locale[] => storedLocales(context);
  const save = (locales: readonly Locale[]): Promise<void> => changeConfig(services, withLocales(locales));
  const findLocale = (isWanted: (locale: Document) => boolean): Document => {
    const found = listLocales(context).find(isWanted);
    if (!found) throw notFound("locale.notFound");
    return found;
  };
  const storedLocale = (code: string): Document => findLocale((locale) => locale.code === code);
  const find = ({ params }: AdminCall): Document => findLocale(({ id }) => String(id) === params.id);
  return [
    route("GET", "/i18n/locales", () => ok(listLocales(context))),
    route("POST", "/i18n/locales", async (call) => {
      const locale = await addLocale(services, await objectBody(call));
      return ok(storedLocale(locale.code));
    }),
    route("PUT", "/i18n/locales/:id", async (call) => {
      const change = readChange(await objectBody(call));
      const code = find(call).code as string;
      const locales = listed().map((locale) => (locale.code === code ? { ...locale, ...change } : locale));
      if (Object.keys(change).length > 0) await save(withDefault(locales, { code, ...change }));
      return ok(storedLocale(code));
    }),
    route("DELETE", "/i18n/locales/:id", async (call) => {
      const locale = find(call);
      if (locale.isDefault) throw applicationError("Cannot delete the default locale");
      const rest = listed().filter(({ code }) => code !== locale.code);
      // refuses before anything is deleted
      previewConfig(services, withLocales(rest));
      await deleteEntries(context, locale.code as string);
      await save(rest);
      return ok(locale);
    }),
  ];
}

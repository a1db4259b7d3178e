/** Services of the i18n and content-manager plugins. */
import { DEFAULT_LOCALE } from "../../access/default-locale.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { LOCALE } from "../../schema/builtin/index.ts";
import { contentType } from "../../schema/model.ts";
import { SYSTEM_ATTRIBUTES } from "../../schema/system-attribute-names.ts";
import { ApplicationError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { documentManager } from "./document-manager.ts";
import type { Members } from "./plugin.ts";
import { createPopulateBuilder } from "./populate-builder.ts";
import { textOf } from "./text-of.ts";

type Values = Record<string, unknown>;

/** Generates values of uid attributes, as in the content manager. */
export function contentManagerServices(runtime: () => Runtime): Members {
  interface Field {
    readonly contentTypeUID: string;
    readonly field: string;
  }
  const isTaken = async ({ contentTypeUID, field }: Field, value: string): Promise<boolean> =>
    (await runtime()
      .query(contentTypeUID)
      .count({ where: { [field]: value } })) > 0;
  const findUniqueUID = async ({ value, ...of }: Field & { readonly value: string }): Promise<string> => {
    let candidate = value;
    for (let count = 1; await isTaken(of, candidate); count++) candidate = `${value}-${count}`;
    return candidate;
  };
  const service = {
    generateUIDField: async ({ data = {}, ...of }: Field & { readonly data?: Values }): Promise<string> => {
      const type = contentType(runtime().context.model, of.contentTypeUID);
      const definition: Values = { ...type.attributes.get(of.field)?.definition };
      const { targetField, default: defaultValue, options } = definition;
      const text = textOf(data[String(targetField)]) || textOf(defaultValue) || type.singularName;
      const { default: slugify } = await import("@sindresorhus/slugify");
      return findUniqueUID({ ...of, value: slugify(text, isRecord(options) ? options : {}) });
    },
    findUniqueUID,
    checkUIDAvailability: async ({ value, ...of }: Field & { readonly value: string }) => !(await isTaken(of, value)),
  };
  return {
    uid: () => service,
    "document-manager": () => documentManager(runtime),
    "populate-builder": () => (uid: string) => createPopulateBuilder(runtime, uid),
  };
}

const SYSTEM_NAMES: ReadonlySet<string> = new Set(["id", "documentId", ...SYSTEM_ATTRIBUTES]);

/** The attributes of a schema, without those that the server adds. */
const ownAttributes = (type: unknown): [string, Values][] =>
  Object.entries(isRecord(type) && isRecord(type.attributes) ? type.attributes : {}).filter(
    (entry): entry is [string, Values] => !SYSTEM_NAMES.has(entry[0]) && isRecord(entry[1]),
  );

/** As in the reference, relations and uid attributes count as localized. */
function isLocalized([, { type, pluginOptions }]: [string, Values]): boolean {
  const options = isRecord(pluginOptions) && isRecord(pluginOptions.i18n) ? pluginOptions.i18n : {};
  return options.localized === true || type === "relation" || type === "uid";
}

export function localeServices(runtime: () => Runtime): Members {
  const locales = () => runtime().query(LOCALE);
  const service = {
    find: (where: Params = {}) => locales().findMany({ where }),
    findById: (id: unknown) => locales().findOne({ where: { id } }),
    findByCode: (code: string) => locales().findOne({ where: { code } }),
    count: (where: Params = {}) => locales().count({ where }),
    create: (data: Values) => locales().create({ data }),
    update: (where: Params, data: Values) => locales().update({ where, data }),
    delete: (where: Params) => locales().delete({ where: isRecord(where) ? where : { id: where } }),
    setDefaultLocale: async ({ code }: { readonly code: string }): Promise<void> => {
      const { transactions } = runtime();
      await transactions.run(async () => transactions.storage.setMeta(DEFAULT_LOCALE, code));
    },
    getDefaultLocale: async () => runtime().context.defaultLocale(),
    /** One locale, or a list. */
    setIsDefault: async (locales: unknown) => {
      const defaultLocale = runtime().context.defaultLocale();
      const complete = (locale: unknown) =>
        isRecord(locale) ? { ...locale, isDefault: locale.code === defaultLocale } : locale;
      return Array.isArray(locales) ? locales.map(complete) : complete(locales);
    },
    // done at the start
    initDefaultLocale: async () => {},
  };
  return {
    locales: () => service,
    "content-types": () => ({
      isLocalizedContentType: (type: unknown) => {
        const options = isRecord(type) && isRecord(type.pluginOptions) ? type.pluginOptions.i18n : undefined;
        return isRecord(options) && options.localized === true;
      },
      getLocalizedAttributes: (type: unknown) =>
        ownAttributes(type)
          .filter(isLocalized)
          .map(([name]) => name),
      getNonLocalizedAttributes: (type: unknown) =>
        ownAttributes(type)
          .filter((attribute) => !isLocalized(attribute))
          .map(([name]) => name),
      copyNonLocalizedAttributes: (type: unknown, entry: Values) => {
        const names = ownAttributes(type).flatMap((attribute) => (isLocalized(attribute) ? [] : [attribute[0]]));
        return Object.fromEntries(
          names.flatMap((name) => (name in entry ? [[name, structuredClone(entry[name])]] : [])),
        );
      },
      /** Fills empty attributes in place. */
      fillNonLocalizedAttributes: (entry: Values, from: Values, { model }: { readonly model: string }): void => {
        const type = runtime().context.model.types.get(model);
        for (const [name, { definition }] of type?.attributes ?? []) {
          if (SYSTEM_NAMES.has(name) || isLocalized([name, definition as Values])) continue;
          if (entry[name] === undefined || entry[name] === null) entry[name] = from[name];
        }
      },
      getValidLocale: async (code: unknown) => {
        if (code === undefined || code === null) return service.getDefaultLocale();
        if (!(await service.findByCode(String(code)))) throw new ApplicationError("Locale not found");
        return code;
      },
    }),
  };
}

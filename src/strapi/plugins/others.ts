/** Services of the i18n, content-manager and content-type-builder plugins. */
import type { Params } from "../../engine/query/parse.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { type FieldSize, fieldSizes } from "../../engine/schema/field-sizes.ts";
import { contentType } from "../../engine/schema/model.ts";
import { isReserved, reservedNames } from "../../engine/schema/reserved-names.ts";
import { DEFAULT_LOCALE } from "../../engine/storage/core-store.ts";
import { applicationError } from "../../lib/errors.ts";
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import { FORM_CONFIGURATION } from "../administration/settings.ts";
import type { Members } from "../loader/plugin.ts";
import type { Runtime } from "../runtime.ts";
import { componentModels, dataMapper, typeModels } from "./content-manager-models.ts";
import { documentManager } from "./document-manager.ts";
import { i18nContentTypes, i18nSanitize } from "./i18n-content-types.ts";
import { createPermissionChecker } from "./permission-checker.ts";
import { createPopulateBuilder } from "./populate-builder.ts";
import { readText } from "./read-text.ts";

/** `plugin::content-manager.field-sizes`. Sizes that code sets are only there for code. */
function fieldSizesService(): Members {
  const sizes: Record<string, FieldSize> = { ...fieldSizes };
  return {
    getAllFieldSizes: () => sizes,
    hasFieldSize: (type: string) => Object.hasOwn(sizes, type),
    getFieldSize(type?: string) {
      if (!type) throw applicationError("The type is required");
      if (!Object.hasOwn(sizes, type)) throw applicationError(`Could not find field size for type ${type}`);
      return sizes[type];
    },
    setFieldSize(type?: string, size?: FieldSize) {
      if (!type) throw applicationError("The type is required");
      if (!size) throw applicationError("The size is required");
      sizes[type] = size;
    },
  };
}

/** How the content manager shows the types of a kind: with its defaults, also of what is not stored. */
function configurationService(runtime: () => Runtime, kind: "content_types" | "components"): Members {
  const findConfiguration = async ({ uid, category }: { readonly uid: string; readonly category?: string }) => {
    const found = new Map(runtime().formConfigurations()).get(`${FORM_CONFIGURATION}${kind}::${uid}`);
    const configuration = found ?? { settings: {}, metadatas: {}, layouts: { list: [], edit: [] } };
    return { uid, ...(kind === "components" ? { category } : {}), ...structuredClone(configuration) };
  };
  return { findConfiguration };
}

/** Generates values of uid attributes, as in the content manager, and returns configurations. */
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
      const text = readText(data[String(targetField)]) || readText(defaultValue) || type.singularName;
      const { default: slugify } = await import("@sindresorhus/slugify");
      return findUniqueUID({ ...of, value: slugify(text, toRecord(options)) });
    },
    findUniqueUID,
    checkUIDAvailability: async ({ value, ...of }: Field & { readonly value: string }) => !(await isTaken(of, value)),
  };
  return {
    uid: () => service,
    "content-types": () => ({ ...configurationService(runtime, "content_types"), ...typeModels(runtime) }),
    components: () => ({ ...configurationService(runtime, "components"), ...componentModels(runtime) }),
    "data-mapper": () => dataMapper,
    "document-manager": () => documentManager(runtime),
    "field-sizes": fieldSizesService,
    "permission-checker": () => ({
      create: (of: Parameters<typeof createPermissionChecker>[1]) => createPermissionChecker(runtime().findSchema, of),
    }),
    "populate-builder": () => (uid: string) => createPopulateBuilder(runtime, uid),
  };
}

/** The names that types and attributes of Strapi cannot have. */
export const builderServices: Members = {
  builder: {
    reservedModels: reservedNames.models,
    reservedAttributes: reservedNames.attributes,
    getReservedNames: () => reservedNames,
    isReservedModelName: (name: string) => isReserved(name, reservedNames.models),
    isReservedAttributeName: (name: string) => isReserved(name, reservedNames.attributes),
  },
};

/** The part of `strapi` that settings are stored with. */
interface SettingsStore {
  readonly get: (options: object) => Promise<unknown>;
  readonly set: (options: { readonly value: unknown }) => Promise<unknown>;
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
    settings: () => {
      const { store } = runtime().strapi as { readonly store: (key: object) => SettingsStore };
      const settings = store({ type: "plugin", name: "i18n", key: "settings" });
      return { getSettings: () => settings.get({}), setSettings: (value: unknown) => settings.set({ value }) };
    },
    "iso-locales": () => ({
      getIsoLocales: () => {
        // loaded with the first use
        const { isoLocales } =
          require("../../engine/access/iso-locales.ts") as typeof import("../../engine/access/iso-locales.ts");
        return isoLocales.map((locale) => ({ ...locale }));
      },
    }),
    "content-types": () =>
      i18nContentTypes({
        findSchema: (uid) => runtime().findSchema(uid),
        defaultLocale: service.getDefaultLocale,
        hasLocale: async (code) => (await service.findByCode(code)) !== null,
      }),
    sanitize: () => i18nSanitize((uid) => runtime().findSchema(uid)),
  };
}

/** The services `content-types` and `sanitize` of the i18n plugin: which attributes are localized, and copies of those that are not. */
import { stringOrEmpty } from "../../lib/coerce.ts";
import { isRecord, type Values } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiError, strapiUtils } from "../packages/utils.ts";

type Attribute = Readonly<Record<string, unknown>>;
type ContentType = { readonly attributes?: Readonly<Record<string, Attribute>> } & Attribute;

interface Parts {
  readonly findSchema: (uid: string) => unknown;
  readonly defaultLocale: () => Promise<unknown>;
  readonly hasLocale: (code: string) => Promise<boolean>;
}

function hasLocalizedOption({ pluginOptions }: Values): boolean {
  const options = isRecord(pluginOptions) ? pluginOptions.i18n : undefined;
  return isRecord(options) && options.localized === true;
}

/** As in Strapi, relations and uid attributes count as localized. */
const isLocalized = (attribute: Attribute): boolean =>
  hasLocalizedOption(attribute) || attribute.type === "relation" || attribute.type === "uid";

const visibleNames = (type: ContentType): string[] => strapiUtils().contentTypes.getVisibleAttributes(type as never);
const findAttribute = (type: ContentType, name: string): Attribute => type.attributes?.[name] ?? {};
const localizedNames = (type: ContentType): string[] =>
  visibleNames(type).filter((name) => isLocalized(findAttribute(type, name)));
const otherNames = (type: ContentType): string[] =>
  visibleNames(type).filter((name) => !isLocalized(findAttribute(type, name)));

const listComponents = ({ component, components }: Attribute): unknown[] =>
  Array.isArray(components) ? components : component === undefined ? [] : [component];

export function i18nContentTypes({ findSchema, defaultLocale, hasLocale }: Parts): Members {
  const findType = (uid: unknown): ContentType => (findSchema(stringOrEmpty(uid)) ?? {}) as ContentType;

  /** A copy without the ids of components, of which the copy needs its own. */
  function withoutIds(type: ContentType, entry: unknown): unknown {
    if (Array.isArray(entry)) return entry.map((item) => withoutIds(type, item));
    if (!isRecord(entry)) return entry;
    const { id: _, ...copy } = entry;
    for (const [name, value] of Object.entries(copy)) {
      const attribute = findAttribute(type, name);
      if (attribute.type === "component") copy[name] = withoutIds(findType(attribute.component), value);
      else if (attribute.type === "dynamiczone" && Array.isArray(value))
        copy[name] = value.map((item) => (isRecord(item) ? withoutIds(findType(item.__component), item) : item));
      else copy[name] = structuredClone(value);
    }
    return copy;
  }

  const copyNonLocalizedAttributes = (type: ContentType, entry: Values): Values => {
    const named = otherNames(type).flatMap((name) => (name in entry ? [[name, entry[name]] as const] : []));
    return withoutIds(type, Object.fromEntries(named)) as Values;
  };

  /** As in Strapi, with the names of all scalar attributes of content-types, but not twice. `above`: components that contain it. */
  function nestedPopulate(uid: unknown, above: readonly unknown[] = []): string[] {
    const type = findType(uid);
    const isComponent = type.modelType === "component";
    const { getScalarAttributes, getRelationalAttributes } = strapiUtils().contentTypes;
    const all = [...getScalarAttributes(type as never), ...otherNames(type)];
    if (isComponent) all.push(...getRelationalAttributes(type as never));
    const names = all.filter((name) => all.indexOf(name) === all.lastIndexOf(name));
    const nested = names.flatMap((name) =>
      listComponents(findAttribute(type, name))
        .filter((component) => !above.includes(component))
        .flatMap((component) => nestedPopulate(component, [...above, component]).map((inner) => `${name}.${inner}`)),
    );
    return [...names, ...nested];
  }

  return {
    isLocalizedContentType: (type: unknown) => isRecord(type) && hasLocalizedOption(type),
    getLocalizedAttributes: localizedNames,
    getNonLocalizedAttributes: otherNames,
    copyNonLocalizedAttributes,
    /** Fills empty attributes in place. */
    fillNonLocalizedAttributes: (entry: Values, from: unknown, { model }: { readonly model: string }): void => {
      if (!isRecord(from)) return;
      for (const [name, value] of Object.entries(copyNonLocalizedAttributes(findType(model), from)))
        if (entry[name] === undefined || entry[name] === null) entry[name] = value;
    },
    getNestedPopulateOfNonLocalizedAttributes: (uid: string) => nestedPopulate(uid),
    getValidLocale: async (code: unknown) => {
      if (code === undefined || code === null) return defaultLocale();
      if (!(await hasLocale(String(code)))) throw strapiError("ApplicationError", "Locale not found");
      return code;
    },
  };
}

export function i18nSanitize(findSchema: (uid: string) => unknown): Members {
  const { traverseEntity } = strapiUtils();
  type Visitor = Parameters<typeof traverseEntity>[0];
  const visit: Visitor = ({ key, schema }, { remove }) => {
    if ((key === "locale" || key === "localizations") && !hasLocalizedOption(schema as unknown as Values)) remove(key);
  };
  const sanitizeEntity = (schema: unknown, entity: unknown) =>
    traverseEntity(visit, { schema, getModel: findSchema } as never, entity as never);
  return {
    /** Removes the locales of documents whose type is not localized. As in Strapi, the entity may be passed in a second call. */
    sanitizeLocalizationFields: (schema: unknown, ...entities: readonly unknown[]) =>
      entities.length === 0 ? (entity: unknown) => sanitizeEntity(schema, entity) : sanitizeEntity(schema, entities[0]),
  };
}

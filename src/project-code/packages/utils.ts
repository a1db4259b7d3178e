/** `@strapi/utils`: what code imports of it. Everything else says that it is not there when it is used. */

import { isRecord } from "../../query/key-check.ts";
import { isGroup, isOperator } from "../../query/operators.ts";
import { errors, formatYupErrors } from "./errors.ts";
import { unsupportedUtils } from "./unsupported.ts";

type Attribute = Readonly<Record<string, unknown>>;
type ContentType = { readonly attributes?: Readonly<Record<string, Attribute>> } & Readonly<Record<string, unknown>>;

const attributesOf = ({ attributes = {} }: ContentType): [string, Attribute][] => Object.entries(attributes);
const isType =
  (...types: readonly string[]) =>
  (attribute: Attribute | undefined): boolean =>
    types.includes(String(attribute?.type));

const isRelational = isType("relation");
const isMedia = isType("media");
const isComponent = isType("component", "dynamiczone");
const isScalar = (attribute: Attribute | undefined): boolean =>
  attribute !== undefined && !isRelational(attribute) && !isMedia(attribute) && !isComponent(attribute);
const hasDrafts = (type: ContentType | undefined): boolean =>
  isRecord(type?.options) && type.options.draftAndPublish === true;

export const contentTypes = {
  constants: {
    ID_ATTRIBUTE: "id",
    DOC_ID_ATTRIBUTE: "documentId",
    CREATED_AT_ATTRIBUTE: "createdAt",
    UPDATED_AT_ATTRIBUTE: "updatedAt",
    PUBLISHED_AT_ATTRIBUTE: "publishedAt",
    CREATED_BY_ATTRIBUTE: "createdBy",
    UPDATED_BY_ATTRIBUTE: "updatedBy",
    SINGLE_TYPE: "singleType",
    COLLECTION_TYPE: "collectionType",
  },
  hasDraftAndPublish: hasDrafts,
  isSingleType: (type: ContentType) => type.kind === "singleType",
  isCollectionType: (type: ContentType) => type.kind !== "singleType",
  isRelationalAttribute: isRelational,
  isMediaAttribute: isMedia,
  isComponentAttribute: isComponent,
  isDynamicZoneAttribute: isType("dynamiczone"),
  isScalarAttribute: isScalar,
  isPrivateAttribute: (type: ContentType, name: string) => type.attributes?.[name]?.private === true,
  isTypedAttribute: (attribute: Attribute, name: string) => attribute?.type === name,
  getScalarAttributes: (type: ContentType) =>
    attributesOf(type).flatMap(([name, own]) => (isScalar(own) ? [name] : [])),
  getRelationalAttributes: (type: ContentType) =>
    attributesOf(type).flatMap(([name, own]) => (isRelational(own) ? [name] : [])),
  getComponentAttributes: (type: ContentType) =>
    attributesOf(type).flatMap(([name, own]) => (isComponent(own) ? [name] : [])),
  getMediaAttributes: (type: ContentType) => attributesOf(type).flatMap(([name, own]) => (isMedia(own) ? [name] : [])),
  getPrivateAttributes: (type: ContentType) =>
    attributesOf(type).flatMap(([name, own]) => (own.private === true ? [name] : [])),
};

type ValueParser = (value: unknown) => unknown;

const parsers: Readonly<Record<string, ValueParser>> = {
  boolean: (value) => (typeof value === "string" ? ["true", "t", "1"].includes(value) : Boolean(value)),
  integer: (value) => Number.parseInt(String(value), 10),
  biginteger: (value) => Number.parseInt(String(value), 10),
  float: (value) => Number.parseFloat(String(value)),
  decimal: (value) => Number.parseFloat(String(value)),
  datetime: (value) => new Date(value as string),
  timestamp: (value) => new Date(value as string),
  date: (value) => new Date(value as string).toISOString().slice(0, 10),
};

const parseType = ({ type, value }: { readonly type: string; readonly value: unknown }): unknown =>
  parsers[type]?.(value) ?? value;

const pipe =
  (...steps: readonly ((value: unknown) => unknown)[]) =>
  async (value: unknown): Promise<unknown> => {
    let result = value;
    for (const each of steps) result = await each(result);
    return result;
  };

const asyncUtils = {
  pipe,
  map: async <T, R>(list: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> =>
    Promise.all(list.map(work)),
  reduce:
    <T, R>(list: readonly T[]) =>
    async (work: (sum: R | undefined, item: T, index: number) => Promise<R>, initial?: R): Promise<R | undefined> => {
      let sum = initial;
      for (const [index, item] of list.entries()) sum = await work(sum, item, index);
      return sum;
    },
};

const camel = (text: string): string =>
  text
    .replace(/[-_\s]+(.)?/g, (_, letter?: string) => letter?.toUpperCase() ?? "")
    .replace(/^./, (first) => first.toLowerCase());
const kebab = (text: string): string =>
  text
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .replace(/[\s_]+/g, "-")
    .toLowerCase();

async function slug(text: string): Promise<string> {
  const { default: slugify } = await import("@sindresorhus/slugify");
  return slugify(text);
}

export const utilsPackage = Object.defineProperties(
  {
    __esModule: true,
    errors,
    formatYupErrors,
    contentTypes,
    parseType,
    isOperator,
    isOperatorOfType: (type: string, key: string) => (type === "group" ? isGroup(key) : isOperator(key)),
    async: asyncUtils,
    strings: {
      nameToSlug: slug,
      getCommonPath: (...paths: readonly string[]) => paths[0] ?? "",
      joinBy: (separator: string, ...parts: readonly string[]) => parts.join(separator),
      toKebabCase: kebab,
      startsWithANumber: (text: string) => /^\d/.test(text),
    },
    nameToSlug: slug,
    stringIncludes: (list: readonly unknown[], value: unknown) => list.map(String).includes(String(value)),
    toRegressedEnumValue: (value: string) => value.replace(/[^\w]+/g, "_"),
    isCamelCase: (value: string) => /^[a-z][a-zA-Z0-9]+$/.test(value),
    isKebabCase: (value: string) => kebab(value) === value,
    stringEquals: (a: unknown, b: unknown) => String(a) === String(b),
    camelCase: camel,
    policy: {
      createPolicy: (options: Readonly<Record<string, unknown>>) => ({ validator: () => {}, ...options }),
      createPolicyContext: (type: string, ctx: object) => ({ is: (other: string) => other === type, type, ...ctx }),
    },
    setCreatorFields: () => (data: unknown) => data,
    providerFactory: createProviders,
    hooks: hookFactories(),
    pagination: {
      withDefaultPagination: (given: Readonly<Record<string, number>>) => ({ start: 0, limit: 25, ...given }),
    },
    sanitize: {},
    validate: {},
  },
  unsupportedUtils,
);

function createProviders() {
  const items = new Map<string, unknown>();
  return {
    register: async (key: string, item: unknown) => void items.set(key, item),
    delete: async (key: string) => items.delete(key),
    get: (key: string) => items.get(key),
    values: () => [...items.values()],
    keys: () => [...items.keys()],
    has: (key: string) => items.has(key),
    size: () => items.size,
    clear: async () => items.clear(),
  };
}

type Handler = (value: unknown) => unknown;

/** Lists of functions that are called in one way or another. */
function hookFactories() {
  const create = (call: (handlers: readonly Handler[], value: unknown) => Promise<unknown>) => () => {
    const handlers: Handler[] = [];
    return {
      register: (handler: Handler) => void handlers.push(handler),
      delete: (handler: Handler) => void handlers.splice(handlers.indexOf(handler), 1),
      getHandlers: () => handlers,
      call: (value: unknown) => call(handlers, value),
    };
  };
  const series = create(async (handlers, value) => {
    for (const handler of handlers) await handler(value);
    return undefined;
  });
  return {
    createAsyncSeriesHook: series,
    createAsyncSeriesWaterfallHook: create((handlers, value) => pipe(...handlers)(value)),
    createAsyncParallelHook: create((handlers, value) => Promise.all(handlers.map((handler) => handler(value)))),
    createAsyncBailHook: create(async (handlers, value) => {
      for (const handler of handlers) {
        const result = await handler(value);
        if (result !== undefined) return result;
      }
      return undefined;
    }),
  };
}

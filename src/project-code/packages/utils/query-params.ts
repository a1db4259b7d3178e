/** `queryParams` of `@strapi/utils`: parameters of requests converted to those of `strapi.db.query`. */
import { isRecord } from "../../../query/key-check.ts";
import { PaginationError, ValidationError } from "../errors.ts";
import { hasSort, parseType } from "./values.ts";

type Params = Readonly<Record<string, unknown>>;

interface Attribute {
  readonly type?: string;
  readonly relation?: string;
  readonly target?: string;
  readonly component?: string;
}

interface Schema {
  readonly modelType?: string;
  readonly options?: { readonly draftAndPublish?: boolean };
  readonly attributes: Readonly<Record<string, Attribute | undefined>>;
}

type GetModel = (uid: string) => Schema | undefined;

const isNil = (value: unknown): value is null | undefined => value === undefined || value === null;

const lists = (text: string): string[] => text.split(",").map((name) => name.trim());

function orderOf(order: string): string {
  if (!/^(?:asc|desc)$/i.test(order))
    throw new ValidationError("Invalid order. order can only be one of asc|desc|ASC|DESC");
  return order;
}

/** `author.name:desc` as `{ author: { name: "desc" } }`. */
function sortKey(text: string): object {
  const [path = "", order = "asc"] = text.split(":");
  if (path.trim() === "") throw new ValidationError("Field cannot be empty");
  const names = path.trim().split(".");
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), orderOf(order.trim())) as object;
}

const sortKeys = (text: string): object[] =>
  text
    .split(",")
    .filter((key) => key.split(":")[0]!.trim() !== "")
    .map((key) => sortKey(key.trim()));

function nestedSort(sort: object): object {
  const entries = Object.entries(sort).flatMap(([name, order]): [string, unknown][] => {
    if (isRecord(order)) {
      const nested = nestedSort(order);
      return Object.keys(nested).length > 0 ? [[name, nested]] : [];
    }
    if (typeof order !== "string")
      throw new ValidationError(`Invalid sort type expected object or string got ${typeof order}`);
    return order.trim() === "" ? [] : [[name, orderOf(order.trim())]];
  });
  return Object.fromEntries(entries);
}

function convertSort(sort: unknown): object | object[] {
  if (typeof sort === "string") return sortKeys(sort);
  if (Array.isArray(sort))
    return sort.every((key) => typeof key === "string") ? sort.flatMap(sortKeys) : sort.map(nestedSort);
  if (isRecord(sort)) return nestedSort(sort);
  const expected = "a string, an array of strings, a sort object or an array of sort objects";
  throw new ValidationError(`Invalid sort parameter. Expected ${expected}`);
}

/** Numbers as lodash converts them: empty strings are 0. */
const numberOf = (value: unknown): number => (typeof value === "symbol" ? Number.NaN : Number(value));

function convertStart(value: unknown): number {
  const start = numberOf(value);
  if (!Number.isInteger(start) || start < 0)
    throw new ValidationError(`convertStartQueryParams expected a positive integer got ${start}`);
  return start;
}

/** Undefined for -1, which is no limit. */
function convertLimit(value: unknown): number | undefined {
  const limit = numberOf(value);
  if (!Number.isInteger(limit) || limit < -1)
    throw new ValidationError(`convertLimitQueryParams expected a positive integer got ${limit}`);
  return limit === -1 ? undefined : limit;
}

const pageNumber =
  (name: string) =>
  (value: unknown): number => {
    const page = numberOf(value);
    if (!Number.isInteger(page) || page <= 0)
      throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${String(value)}`);
    return page;
  };

/** `name`: that of the query's property. */
const pagination: readonly (readonly [param: string, name: string, convert: (value: unknown) => unknown])[] = [
  ["page", "page", pageNumber("page")],
  ["pageSize", "pageSize", pageNumber("pageSize")],
  ["start", "offset", convertStart],
  ["limit", "limit", convertLimit],
];

/** Throws for values that are no numbers, and for both kinds of pagination at once. */
export function paginationOf(params: Params): Params {
  const isPaged = !isNil(params.page) || !isNil(params.pageSize);
  if (isPaged && !(isNil(params.start) && isNil(params.limit)))
    throw new PaginationError(
      "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object",
    );
  const converted = pagination.map(
    ([param, name, convert]) => [name, isNil(params[param]) ? undefined : convert(params[param])] as const,
  );
  return Object.fromEntries(converted.filter(([, value]) => value !== undefined));
}

/** With the ids of rows and documents. Undefined for all fields. */
function convertFields(fields: unknown, schema?: Schema): unknown {
  if (fields === "*") return undefined;
  const names = [fields].flat();
  if (isNil(fields) || !names.every((name) => typeof name === "string"))
    throw new ValidationError("Invalid fields parameter. Expected a string or an array of strings");
  const ids = schema?.modelType === "contentType" ? ["id", "documentId"] : ["id"];
  return [...new Set([...ids, ...names.flatMap(lists)])];
}

const IDS: ReadonlySet<string> = new Set(["id", "documentId"]);

const invalidPopulate = (): Error =>
  new ValidationError("Invalid populate parameter. Expected a string, an array of strings, a populate object");

/** The type or component that an attribute leads to, if it is one. */
const targetOf = ({ type, target, component }: Attribute): string | undefined =>
  type === "media" ? "plugin::upload.file" : type === "component" ? component : target;

const versionsOf: Readonly<Record<string, object>> = {
  draft: { publishedAt: { $null: true } },
  published: { publishedAt: { $notNull: true } },
};

export function createTransformer({ getModel }: { readonly getModel: GetModel }) {
  const isMorph = ({ type, relation = "" }: Attribute): boolean =>
    type === "dynamiczone" || relation.toLowerCase().startsWith("morphto");

  /** Removes conditions on what the type does not have. */
  function knownFilters(filters: unknown, schema: Schema | undefined): unknown {
    if (Array.isArray(filters)) return filters.map((filter) => knownFilters(filter, schema));
    if (!isRecord(filters)) return filters;
    const entries = Object.entries(filters).flatMap(([key, value]): [string, unknown][] => {
      if (key.startsWith("$")) return [[key, knownFilters(value, schema)]];
      const attribute = schema?.attributes[key];
      if (!attribute) return IDS.has(key) ? [[key, value]] : [];
      const target = targetOf(attribute);
      return [[key, target === undefined ? value : knownFilters(value, getModel(target))]];
    });
    return Object.fromEntries(entries);
  }

  function convertFilters(filters: unknown, schema?: Schema): unknown {
    if (!isRecord(filters) && !Array.isArray(filters))
      throw new ValidationError("The filters parameter must be an object or an array");
    return knownFilters(filters, schema);
  }

  function convertPopulate(populate: unknown, schema: Schema | undefined): unknown {
    if (populate === "*") return true;
    if (typeof populate === "string") return lists(populate);
    if (Array.isArray(populate)) {
      if (!populate.every((name) => typeof name === "string")) throw invalidPopulate();
      return [...new Set(populate.flatMap(lists))];
    }
    if (!isRecord(populate)) throw invalidPopulate();
    const entries = Object.entries(populate).flatMap(([name, options]) => {
      const converted = convertEntry(schema?.attributes[name], options);
      return converted === undefined || converted === false ? [] : [[name, converted] as const];
    });
    return Object.fromEntries(entries);
  }

  /** Undefined for an unknown attribute. */
  function convertEntry(attribute: Attribute | undefined, options: unknown): unknown {
    if (!attribute) return undefined;
    if (isMorph(attribute) && isRecord(options)) return convertFragments(options);
    const uid = targetOf(attribute);
    return convertOptions(options, uid === undefined ? undefined : getModel(uid));
  }

  function convertFragments({ on, populate, count }: Params): unknown {
    const fragments = isRecord(on)
      ? Object.entries(on).map(([uid, options]) => [uid, convertOptions(options, getModel(uid))] as const)
      : undefined;
    return {
      ...(fragments && { on: Object.fromEntries(fragments) }),
      ...(populate === "*" && { populate: true }),
      ...(typeof count === "boolean" && { count }),
    };
  }

  function convertOptions(options: unknown, schema: Schema | undefined): unknown {
    if (typeof options === "string") return parseType({ type: "boolean", value: options, forceCast: true });
    if (typeof options === "boolean") return options;
    if (!isRecord(options)) throw new ValidationError("Invalid nested populate. Expected '*' or an object");
    return convertParams(options, schema);
  }

  function convertParams(params: Params, schema: Schema | undefined): Record<string, unknown> {
    const { sort, filters, fields, populate, count, ordering } = params;
    return {
      ...(hasSort(sort) && { orderBy: convertSort(sort) }),
      ...(isNil(filters) ? {} : { where: convertFilters(filters, schema) }),
      ...(isNil(fields) ? {} : { select: convertFields(fields, schema) }),
      ...(populate ? { populate: convertPopulate(populate, schema) } : {}),
      ...(count ? { count: parseType({ type: "boolean", value: count }) } : {}),
      ...(ordering ? { ordering } : {}),
      ...paginationOf(params),
    };
  }

  return {
    private_convertSortQueryParams: convertSort,
    private_convertStartQueryParams: convertStart,
    private_convertLimitQueryParams: convertLimit,
    private_convertPopulateQueryParams: convertPopulate,
    private_convertFiltersQueryParams: convertFilters,
    private_convertFieldsQueryParams: convertFields,
    /** Other parameters are kept. The status becomes a condition. */
    transformQueryParams(uid: string, params: Params = {}): Record<string, unknown> {
      const { sort, filters, fields, populate, page, pageSize, start, limit, status, count, ordering, ...others } =
        params;
      const schema = getModel(uid);
      const converted = { ...others, ...convertParams(params, schema) };
      const version = schema?.options?.draftAndPublish ? versionsOf[String(status)] : undefined;
      if (!version) return converted;
      const { where } = converted as { readonly where?: unknown };
      return { ...converted, where: where === undefined ? version : { $and: [where, version] } };
    },
  };
}

export const queryParams = { createTransformer };

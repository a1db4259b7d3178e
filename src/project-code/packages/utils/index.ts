/** `@strapi/utils`. Using an unsupported export throws an error that names it. */
import { createEnv } from "../../../config/env.ts";
import { isComparison, isGroup, isOperator } from "../../../query/operators.ts";
import { errors, formatYupErrors } from "../errors.ts";
import { unsupportedUtils } from "../unsupported.ts";
import { contentTypes, relations, setCreatorFields } from "./content-types.ts";
import { asyncUtils, hooks, providerFactory } from "./hooks.ts";
import { pagination } from "./pagination.ts";
import { publicationFilters as publication } from "./publication-filters.ts";
import { queryParams } from "./query-params.ts";
import { reservedNames } from "./reserved-names.ts";
import { sanitize, validate } from "./sanitize.ts";
import { schemaPackages, schemas } from "./schemas.ts";
import { traverseEntity } from "./traverse-entity.ts";
import {
  traverseQueryFields,
  traverseQueryFilters,
  traverseQueryPopulate,
  traverseQuerySort,
} from "./traverse-query.ts";
import { arrays, dates, file, hasSort, objects, parseType, strings, template } from "./values.ts";

interface PolicyOptions {
  readonly name?: string;
  readonly validator?: (config: unknown) => unknown;
  readonly handler: unknown;
}

const policy = {
  createPolicy: ({ name = "unnamed", validator, handler }: PolicyOptions) => ({
    name,
    handler,
    validator: (config: unknown) => {
      try {
        validator?.(config);
      } catch (cause) {
        throw new Error(`Invalid config passed to "${name}" policy.`, { cause });
      }
    },
  }),
  createPolicyContext: (type: string, ctx: object) => ({ is: (other: string) => other === type, type, ...ctx }),
};

/** In the reference, `$not` is a comparison. */
function isOperatorOfType(type: string, key: string): boolean {
  if (type === "group") return isGroup(key) && key !== "$not";
  return type === "where" && (isComparison(key) || key === "$not");
}

// biome-ignore format: a list
const SHARED = [
  "filters", "sort", "fields", "populate", "status", "locale", "page", "pageSize", "start", "limit", "_q",
  "publicationFilter", "hasPublishedVersion",
];

type MiddlewareEntry = string | { readonly name?: string; readonly config?: object };

/** Merges configuration into the middleware with this name. Lists are joined. */
function extendMiddlewareConfiguration(list: readonly MiddlewareEntry[], added: { readonly name: string }) {
  const { mergeWith, union } = require("lodash") as typeof import("lodash");
  const join = (own: unknown, more: unknown): unknown =>
    Array.isArray(own) ? union(own, more as unknown[]) : undefined;
  return list.map((entry) => {
    if (typeof entry === "string") return entry === added.name ? added : entry;
    return entry.name === added.name ? (mergeWith({}, entry, added, join) as MiddlewareEntry) : entry;
  });
}

async function importDefault(path: string): Promise<unknown> {
  const { default: exported, ...names } = (await import(path)) as Record<string, unknown>;
  return exported ?? names;
}

const members = Object.defineProperties(
  {
    __esModule: true,
    errors,
    formatYupErrors,
    ...schemas,
    contentTypes: { ...contentTypes, ...reservedNames },
    relations,
    setCreatorFields,
    parseType,
    env: createEnv(process.env),
    isOperator,
    isOperatorOfType,
    traverseEntity,
    traverse: { traverseQueryFilters, traverseQuerySort, traverseQueryPopulate, traverseQueryFields },
    sanitize,
    validate,
    async: asyncUtils,
    hooks,
    providerFactory,
    pagination,
    queryParams,
    ...publication,
    policy,
    strings,
    arrays,
    objects,
    dates,
    file,
    template,
    hasSort,
    importDefault,
    extendMiddlewareConfiguration,
    SHARED_QUERY_PARAM_KEYS: SHARED,
    ALLOWED_QUERY_PARAM_KEYS: [...SHARED, "pagination", "count", "ordering"],
    RESERVED_INPUT_PARAM_KEYS: ["id", "documentId"],
    CSP_DEFAULTS: {
      "connect-src": ["'self'", "https:"],
      "img-src": ["'self'", "data:", "blob:", "https://market-assets.strapi.io"],
      "media-src": ["'self'", "data:", "blob:"],
    },
  },
  { ...schemaPackages, ...unsupportedUtils },
);

/** Packages that were compiled from ES modules read the default export, which is the package itself. */
export const utilsPackage = Object.defineProperty(members, "default", { enumerable: true, value: members });

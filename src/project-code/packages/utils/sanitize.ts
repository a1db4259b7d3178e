/** `sanitize` and `validate` of `@strapi/utils`. They call those of `strapi.contentAPI`. */
import { withoutSource } from "../errors.ts";
import type { ContentType } from "./content-types.ts";
import { curried } from "./curried.ts";
import { traverseEntity } from "./traverse-entity.ts";
import type { QueryVisitor } from "./traverse-query.ts";
import { refusers, removers } from "./visitors.ts";

type Check = (value: unknown, schema: unknown, options?: object) => Promise<unknown>;
const parts = ["input", "output", "query", "filters", "sort", "fields", "populate"] as const;
type Part = (typeof parts)[number];
type Checks = Readonly<Partial<Record<Part, Check>>>;

interface Options {
  readonly schema?: ContentType;
  readonly getModel: (uid: string) => ContentType | undefined;
}

/** Looked up on each call, since `strapi` does not exist when this module is loaded. */
function checksOf(kind: "sanitize" | "validate"): Checks {
  const { strapi } = globalThis as { strapi?: { contentAPI?: Readonly<Record<string, Checks>> } };
  const checks = strapi?.contentAPI?.[kind];
  if (!checks) throw new Error(`${kind} of @strapi/utils needs a server that has started`);
  return checks;
}

const checksFor = (kind: "sanitize" | "validate", names: readonly Part[]) => (): Checks =>
  Object.fromEntries(
    names.map((name) => [name, (...args: Parameters<Check>) => checksOf(kind)[name]?.(...args)]),
  ) as Checks;

/** Without a caller, so that nothing is restricted by permissions. */
const sanitizerOf = (part: Part, name: string) =>
  curried(async ({ schema }: Options, value: unknown) => {
    if (!schema) throw new Error(`Missing schema in ${name}`);
    return checksOf("sanitize")[part]?.(value, schema);
  });

/** Resolves with a valid value. Errors do not name a request parameter. */
async function validated(part: Part, name: string, { schema }: Options, value: unknown): Promise<unknown> {
  if (!schema) throw new Error(`Missing schema in ${name}`);
  try {
    await checksOf("validate")[part]?.(value, schema);
    return value;
  } catch (error) {
    throw withoutSource(error);
  }
}

const validatorOf = (part: Part, name: string) =>
  curried(async (options: Options, value: unknown) => validated(part, name, options, value));

const { removePassword, removePrivate } = removers;

const entitySanitizer = (visitor: QueryVisitor, name: string) =>
  curried(async (options: Options, entity: unknown) => {
    if (!options.schema) throw new Error(`Missing schema in ${name}`);
    return traverseEntity(visitor as Parameters<typeof traverseEntity>[0], options as never, entity);
  });

export const sanitize = {
  visitors: removers,
  sanitizers: {
    sanitizePasswords: entitySanitizer(removePassword, "sanitizePasswords"),
    defaultSanitizeOutput: entitySanitizer((visited, tools) => {
      removePassword(visited, tools);
      removePrivate(visited, tools);
    }, "defaultSanitizeOutput"),
    defaultSanitizeFilters: sanitizerOf("filters", "defaultSanitizeFilters"),
    defaultSanitizeSort: sanitizerOf("sort", "defaultSanitizeSort"),
    defaultSanitizeFields: sanitizerOf("fields", "defaultSanitizeFields"),
    defaultSanitizePopulate: sanitizerOf("populate", "defaultSanitizePopulate"),
  },
  createAPISanitizers: checksFor("sanitize", parts),
};

/** Checks all rules; the last argument has no effect. */
const allRules = (part: Part, name: string) =>
  curried(async (options: Options, value: unknown, _rules: unknown) => validated(part, name, options, value));

export const validate = {
  visitors: refusers,
  validators: {
    validateFilters: allRules("filters", "defaultValidateFilters"),
    validateSort: allRules("sort", "defaultValidateSort"),
    validateFields: allRules("fields", "defaultValidateFields"),
    validatePopulate: allRules("populate", "defaultValidatePopulate"),
    defaultValidateFilters: validatorOf("filters", "defaultValidateFilters"),
    defaultValidateSort: validatorOf("sort", "defaultValidateSort"),
    defaultValidateFields: validatorOf("fields", "defaultValidateFields"),
    defaultValidatePopulate: validatorOf("populate", "defaultValidatePopulate"),
    FILTER_TRAVERSALS: ["nonAttributesOperators", "dynamicZones", "morphRelations", "passwords", "private"],
    SORT_TRAVERSALS: [
      "nonAttributesOperators",
      "dynamicZones",
      "morphRelations",
      "passwords",
      "private",
      "nonScalarEmptyKeys",
    ],
    FIELDS_TRAVERSALS: ["scalarAttributes", "privateFields", "passwordFields"],
    POPULATE_TRAVERSALS: ["nonAttributesOperators", "private"],
  },
  createAPIValidators: checksFor(
    "validate",
    parts.filter((part) => part !== "output"),
  ),
};

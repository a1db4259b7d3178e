/**
 * What `strapi.service("admin::permission").createPermissionsManager` returns: it removes from documents, data and queries what an
 * administrator may not see or set, or refuses them.
 */
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import type { SchemaView } from "../data/schemas.ts";
import { type StrapiUtils, strapiError, strapiUtils } from "../packages/utils.ts";

interface Rule {
  /** In dot notation. Undefined if it allows all. */
  readonly fields?: readonly string[];
}

/** CASL's ability, or `ctx.state.userAbility`. */
export interface Ability {
  readonly can: (action: unknown, subject?: unknown, field?: string) => boolean;
  readonly cannot: (action: unknown, subject?: unknown, field?: string) => boolean;
  readonly rulesFor: (action: unknown, subject: string) => readonly Rule[];
}

interface Options {
  readonly ability: Ability;
  readonly action?: string;
  /** The uid of a content-type or component. */
  readonly model: string;
}

interface CallOptions {
  readonly action?: string;
}

type Visitor = Parameters<StrapiUtils["traverseEntity"]>[0];
type Place = Parameters<StrapiUtils["traverseEntity"]>[1];
type Kind = "input" | "output" | "query" | "checkedQuery";
type QueryPart = "filters" | "sort" | "fields" | "populate";

const ADMINISTRATOR = "admin::user";
const ADMINISTRATOR_FIELDS = ["id", "firstname", "lastname", "username", "email", "isActive"];
const IDS = ["id", "documentId"];
const TIMES = ["createdAt", "updatedAt"];
const CREATORS = ["createdBy", "updatedBy"];

/** Fields that need no permission. */
function systemFields(kind: Kind, schema: SchemaView): readonly string[] {
  const { contentTypes } = strapiUtils();
  const type = schema as never;
  const hidden = contentTypes.getNonVisibleAttributes(type);
  const settable = () => hidden.filter((name) => contentTypes.isWritableAttribute(type, name));
  const others: Readonly<Record<Kind, () => readonly string[]>> = {
    input: settable,
    output: () => [...IDS, ...contentTypes.getNonWritableAttributes(type), ...hidden, ...TIMES],
    query: () => [...IDS, ...settable(), ...TIMES, "publishedAt", ...CREATORS],
    checkedQuery: () => [...IDS, ...TIMES, "publishedAt"],
  };
  return ["__component", ...others[kind]()];
}

function refuse(key: string, path: unknown): never {
  throw strapiError(
    "ValidationError",
    path && path !== key ? `Invalid key ${key} at ${String(path)}` : `Invalid key ${key}`,
  );
}

const isHidden = (schema: unknown, key: string): boolean => {
  const { attributes } = toRecord(toRecord(schema).config);
  return toRecord(toRecord(attributes)[key]).hidden === true;
};

const isSecretOfAdministrator = ({ key, attribute, schema }: Parameters<Visitor>[0]): boolean =>
  schema.uid === ADMINISTRATOR && Boolean(attribute) && !ADMINISTRATOR_FIELDS.includes(key);

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" ? Object.keys(value ?? {}).length === 0 : value === "" || value === undefined;

const pickFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pickFields);
  const kept = Object.entries(toRecord(value)).filter(([name]) => ADMINISTRATOR_FIELDS.includes(name));
  return Object.fromEntries(kept);
};

const pickOfAdministrators: Visitor = ({ key, attribute, value }, { set }) => {
  const { type, target } = toRecord(attribute);
  if (type === "relation" && target === ADMINISTRATOR && value) set(key, pickFields(value) as never);
};

/** `apply` removes a key, or refuses it. */
function visitors(apply: (key: string, path: unknown, remove: (key: string) => void) => void) {
  const when =
    (matches: (options: Parameters<Visitor>[0]) => boolean): Visitor =>
    (options, { remove }) => {
      if (matches(options)) apply(options.key, options.path.attribute, remove);
    };
  return {
    hidden: when(({ key, schema }) => isHidden(schema, key)),
    administrators: when(isSecretOfAdministrator),
    emptyFilter: when(({ value }) => typeof value === "object" && value !== null && isEmpty(value)),
    emptySort: when(
      ({ attribute, value }) => !strapiUtils().contentTypes.isScalarAttribute(attribute) && isEmpty(value),
    ),
  };
}

export type FindSchema = (uid: string) => unknown;

const removing = visitors((key, _path, remove) => remove(key));
const refusing = visitors((key, path) => refuse(key, path));

const place = (findSchema: FindSchema, schema: unknown): Place => ({ schema, getModel: findSchema }) as never;

const createWalk = ({ traverse }: ReturnType<typeof strapiUtils>) =>
  ({
    filters: traverse.traverseQueryFilters,
    sort: traverse.traverseQuerySort,
    fields: traverse.traverseQueryFields,
    populate: traverse.traverseQueryPopulate,
  }) as Readonly<Record<QueryPart, (visitor: Visitor, place: Place, value: unknown) => Promise<unknown>>>;

const createVisit = (findSchema: FindSchema, lists: Readonly<Record<QueryPart, readonly Visitor[]>>) => {
  const walk = createWalk(strapiUtils());
  const visit = async (part: QueryPart, value: unknown, at: Place): Promise<unknown> => {
    let result = value;
    for (const visitor of part === "populate" ? [...lists.populate, nested] : lists[part])
      result = await walk[part](visitor, at, result);
    return result;
  };
  /** The same for what relations are populated with. */
  const nested: Visitor = async ({ key, value, attribute, schema: parent }, { set }) => {
    if (attribute || !["sort", "filters", "fields"].includes(key)) return;
    set(key, (await visit(key as QueryPart, value, place(findSchema, parent))) as never);
  };
  return visit;
};

const sanitizePart = (findSchema: FindSchema, allowed: string[] | null) => {
  const { sanitize } = strapiUtils();
  const { expandWildcardPopulate, removeDisallowedFields, removePassword } = sanitize.visitors;
  const { hidden, administrators, emptyFilter, emptySort } = removing;
  const known = removeDisallowedFields(allowed);
  return createVisit(findSchema, {
    filters: [known, administrators, hidden, removePassword, emptyFilter],
    sort: [known, administrators, hidden, removePassword, emptySort],
    fields: [known, hidden, removePassword],
    populate: [expandWildcardPopulate, known, administrators, hidden, removePassword],
  });
};

const checkPart = (findSchema: FindSchema, allowed: string[] | null) => {
  const { validate } = strapiUtils();
  const { throwDisallowedFields, throwPassword } = validate.visitors;
  const { hidden, administrators, emptyFilter, emptySort } = refusing;
  const known = throwDisallowedFields(allowed);
  return createVisit(findSchema, {
    filters: [known, administrators, throwPassword, emptyFilter],
    sort: [known, administrators, throwPassword, emptySort],
    fields: [known, throwPassword],
    populate: [known, administrators, hidden, throwPassword],
  });
};

const forEach = <T>(work: (data: unknown, options: CallOptions) => Promise<T>) => {
  const run = async (data: unknown, options: CallOptions = {}): Promise<unknown> =>
    Array.isArray(data) ? Promise.all(data.map((item) => run(item, options))) : work(data, options);
  return run;
};

const withoutRoles = (data: unknown): unknown => {
  if (!isRecord(data)) return data;
  const creators = CREATORS.flatMap((name) => {
    if (!isRecord(data[name])) return [];
    const { roles: _, ...creator } = data[name];
    return [[name, creator] as const];
  });
  return { ...data, ...Object.fromEntries(creators) };
};

export function createPermissionsManager(findSchema: FindSchema, { ability, action: ownAction, model }: Options) {
  const { sanitize, traverseEntity, validate } = strapiUtils();
  const schema = findSchema(model) as SchemaView;
  /** Null if all are allowed: without any rule, too, since the caller has to ask whether the action is allowed. */
  const fieldsFor = (kind: Kind, { action = ownAction }: CallOptions): string[] | null => {
    const rules = ability.rulesFor(action, model);
    if (rules.length === 0 || rules.some(({ fields }) => !fields)) return null;
    return [...new Set([...rules.flatMap(({ fields = [] }) => fields), ...systemFields(kind, schema)])];
  };

  const visitEntity = async (list: readonly Visitor[], data: unknown): Promise<unknown> => {
    let result = data;
    for (const visitor of list) result = await traverseEntity(visitor, place(findSchema, schema), result as never);
    return result;
  };
  const sanitizeInput = forEach(async (data, options) => {
    const { removeDisallowedFields } = sanitize.visitors;
    return withoutRoles(
      await visitEntity([removing.hidden, removeDisallowedFields(fieldsFor("input", options))], data),
    );
  });
  const getQuery = (action: unknown = ownAction): object | null => {
    if (action === undefined) throw new Error("Action must be defined to build a permission query");
    // permissions of administrators have no conditions
    return ability.rulesFor(action, model).length > 0 ? {} : null;
  };
  return {
    ...{ ability, action: ownAction, model },
    get isAllowed() {
      return ability.can(ownAction, model);
    },
    /** Marks an entry with its type, as CASL does. */
    toSubject: <T extends object>(entry: T, type: string = model): T =>
      Object.hasOwn(entry, "__caslSubjectType__")
        ? entry
        : Object.defineProperty(entry, "__caslSubjectType__", { value: type }),
    pickPermittedFieldsOf: sanitizeInput,
    getQuery,
    addPermissionsQueryTo: (query: Values = {}, action?: unknown): Values => {
      const own = getQuery(action) ?? undefined;
      const { filters } = query;
      if (!isRecord(filters)) return { ...query, filters: own };
      return { ...query, filters: own ? { $and: [filters, own] } : filters };
    },
    sanitizeOutput: forEach(async (data, options) => {
      const { removeDisallowedFields, removePassword } = sanitize.visitors;
      const known = removeDisallowedFields(fieldsFor("output", options));
      return visitEntity([removing.hidden, pickOfAdministrators, known, removePassword], data);
    }),
    sanitizeInput,
    sanitizeQuery: forEach(async (query, options) => {
      const visit = sanitizePart(findSchema, fieldsFor("query", options));
      const sanitized: Values = structuredClone(toRecord(query));
      for (const part of ["filters", "sort", "populate", "fields"] as const)
        if (sanitized[part]) sanitized[part] = await visit(part, sanitized[part], place(findSchema, schema));
      return sanitized;
    }),
    validateQuery: forEach(async (query, options) => {
      const visit = checkPart(findSchema, fieldsFor("checkedQuery", options));
      const given = toRecord(query) as Values;
      for (const part of ["filters", "sort", "fields", "populate"] as const)
        if (given[part] && !(part === "populate" && given[part] === "*"))
          await visit(part, given[part], place(findSchema, schema));
      return true;
    }),
    validateInput: forEach(async (data, options) => {
      const { throwDisallowedFields } = validate.visitors;
      return withoutRoles(
        await visitEntity([refusing.hidden, throwDisallowedFields(fieldsFor("input", options))], data),
      );
    }),
  };
}

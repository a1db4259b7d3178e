/** Parameters to a checked query, in the order in which the reference looks at them. */
import { ApiError, validationError } from "../errors.ts";
import {
  type Attribute,
  component,
  isUnlinked,
  type Model,
  type PopulatableAttribute,
  type Schema,
  targetOf,
} from "../schema/model.ts";
import { type Caller, checkQuery } from "./check-query.ts";
import { checkFields, readFields, withSorted } from "./fields.ts";
import { listsUsers } from "./file-users.ts";
import { checkFilterShape, MAX_TEXT, readFilters } from "./filters.ts";
import { checkFilters } from "./filters-check.ts";
import { isRecord } from "./key-check.ts";
import { checkPopulate, isBooleanWord, isPopulatable } from "./populate-check.ts";
import { checkSort, readSort } from "./sort.ts";
import { type CanRead, type CheckedQuery, emptyQuery, looksThrough, type Populate, type Query } from "./tree.ts";
import { isReadable } from "./visibility.ts";

export type Params = Readonly<Record<string, unknown>>;

/** Deeper populates are refused: each level is at least one statement. */
const MAX_POPULATE_DEPTH = 30;

/** Checks the keys of every parameter. Throws "Invalid key" and nothing else. */
export function checkParams(model: Model, schema: Schema, params: Params, canRead: CanRead): void {
  if (params.filters) checkFilters(model, schema, params.filters, canRead);
  if (params.sort) checkSort(model, schema, params.sort, canRead);
  if (params.fields) checkFields(schema, params.fields);
  if (params.populate) checkPopulate(model, schema, params.populate, canRead);
}

function readSearch(text: unknown): string | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  if (typeof text === "object") throw validationError("_q must be a string");
  if (String(text).length > MAX_TEXT) throw validationError(`_q takes at most ${MAX_TEXT} characters`);
  return String(text);
}

const selection = (model: Model, schema: Schema, params: Params, { canRead }: Caller): Query => ({
  ...emptyQuery(schema),
  fields: readFields(schema, params.fields),
  populate: new PopulateReader(model, canRead).read(schema, params.populate, 0),
});

/** What is answered of a row: all that counts of the parameters of a write. Throws a ValidationError. */
export const readSelection = (model: Model, schema: Schema, params: Params, caller: Caller): CheckedQuery =>
  checkQuery(model, selection(model, schema, params, caller), caller);

/** Expects parameters that `checkParams` has accepted; pagination is the caller's. Throws a ValidationError. */
export const readQuery = (model: Model, schema: Schema, params: Params, caller: Caller): CheckedQuery =>
  readPagedQuery(model, schema, params, caller, () => undefined).query;

/** The same with pagination, which is read where the reference does. Throws what `readPages` throws, too. */
export function readPagedQuery<T>(
  model: Model,
  schema: Schema,
  params: Params,
  caller: Caller,
  readPages: () => T,
): { readonly query: CheckedQuery; readonly pages: T } {
  const sort = readSort(model, schema, params.sort);
  const filters = filtersOf(model, schema, params.filters);
  const selected = selection(model, schema, params, caller);
  const pages = readPages();
  if (filters instanceof ApiError) throw filters;
  const search = readSearch(params._q);
  return { query: checkQuery(model, { ...selected, search, sort, where: filters }, caller), pages };
}

/** The condition, or its error: the reference reports that after the errors of all other parameters. */
function filtersOf(model: Model, schema: Schema, filters: unknown): Query["where"] | ApiError {
  if (filters !== undefined && filters !== null && !Array.isArray(filters)) checkFilterShape(filters);
  try {
    return readFilters(model, schema, filters);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const isLinked = (attribute: PopulatableAttribute): boolean => !(attribute.kind === "relation" && attribute.virtual);

const isTrueWord = (value: unknown): boolean =>
  value === true || value === "true" || value === "t" || value === "1" || value === 1;

function refuseDepth(depth: number): void {
  if (depth <= MAX_POPULATE_DEPTH) return;
  throw validationError(`populate must not be nested deeper than ${MAX_POPULATE_DEPTH} levels`);
}

class PopulateReader {
  readonly #model: Model;
  readonly #canRead: CanRead;

  constructor(model: Model, canRead: CanRead) {
    this.#model = model;
    this.#canRead = canRead;
  }

  /** Relations that the caller may not follow are left out silently, in every form. */
  read(schema: Schema, populate: unknown, depth: number): Populate[] {
    if (populate === undefined || populate === null || populate === "") return [];
    refuseDepth(depth);
    if (populate === "*" || populate === true) return this.#all(schema);
    if (typeof populate === "string") return this.#strings(schema, [populate], depth);
    if (Array.isArray(populate)) {
      if (!populate.every((item) => typeof item === "string")) throw invalidPopulate();
      return this.#strings(schema, populate, depth);
    }
    if (!isRecord(populate)) throw invalidPopulate();
    return Object.entries(populate).flatMap(([key, options]) => this.#entry(schema, key, options, depth) ?? []);
  }

  #all(schema: Schema): Populate[] {
    return [...schema.attributes.values()]
      .filter((attribute) => isPopulatable(attribute) && !attribute.private && this.#mayRead(schema, attribute))
      .map((attribute) => this.#plain(attribute as PopulatableAttribute, []));
  }

  /** What else than kinds and their number is said about the users of a file leaves them out, as in the reference. */
  #chosenUsers(attribute: PopulatableAttribute, options: Params, depth: number): Populate | undefined {
    if (!Object.keys(options).every((key) => key === "on" || key === "count")) return undefined;
    const on = this.#fragments(options.on, depth);
    return { ...this.#plain(attribute, []), on, count: isTrueWord(options.count) };
  }

  #mayRead(schema: Schema, attribute: Attribute): boolean {
    // what is never linked to anything has no key in the reference's answers
    return isReadable(schema, attribute, this.#canRead) && !isUnlinked(attribute);
  }

  #plain(attribute: PopulatableAttribute, populate: readonly Populate[]): Populate {
    const target = targetOf(this.#model, attribute);
    return {
      key: attribute.name,
      attribute,
      query: target && { ...emptyQuery(target), populate },
      count: false,
      on: undefined,
    };
  }

  #attribute(schema: Schema, name: string): PopulatableAttribute | undefined {
    const attribute = schema.attributes.get(name);
    if (!isPopulatable(attribute) || attribute.private) return undefined;
    return this.#mayRead(schema, attribute) ? attribute : undefined;
  }

  /** Strings as a client sends them. A later string that is a prefix of an earlier path replaces it. */
  #strings(schema: Schema, texts: readonly string[], depth: number): Populate[] {
    const kept = texts.filter((text, index) => {
      const overruled = texts.slice(index + 1).some((later) => text.startsWith(`${later}.`));
      return !overruled && this.#mayFollow(schema, text.split("."));
    });
    const paths = kept.flatMap((text) => text.split(",")).map((path) => path.replace(/^[ .]+/, ""));
    return this.#paths(schema, paths, depth);
  }

  /**
   * A step that the caller may not follow removes the whole string, the steps before it included. The reference splits at
   * dots alone, so that it sees no step after a comma.
   */
  #mayFollow(schema: Schema, [name, ...rest]: readonly string[]): boolean {
    const attribute = schema.attributes.get(name?.trim() ?? "");
    if (!isPopulatable(attribute)) return true;
    if (!this.#mayRead(schema, attribute)) return false;
    const target = targetOf(this.#model, attribute);
    return !target || this.#mayFollow(target, rest);
  }

  /** Dotted paths with the same prefix share its populate. */
  #paths(schema: Schema, paths: readonly string[], depth: number): Populate[] {
    refuseDepth(depth);
    const rests = new Map<string, string[]>();
    for (const path of paths) {
      const [name, ...rest] = path.split(".").map((step) => step.trim());
      if (!name) continue;
      const below = rests.get(name) ?? [];
      if (rest.length > 0) below.push(rest.join("."));
      rests.set(name, below);
    }
    return [...rests].flatMap(([name, rest]) => {
      const attribute = this.#attribute(schema, name);
      if (!attribute) return [];
      if (attribute.kind === "zone" && rest.length > 0) return this.#zonePaths(attribute, rest, depth);
      const target = targetOf(this.#model, attribute);
      return this.#plain(attribute, target && rest.length > 0 ? this.#paths(target, rest, depth + 1) : []);
    });
  }

  /** A path through a zone populates where there is something to populate; every entry is answered. */
  #zonePaths(attribute: PopulatableAttribute, rest: readonly string[], depth: number): Populate {
    const on = new Map<string, Query>();
    for (const uid of this.#model.components.keys()) {
      const target = component(this.#model, uid);
      const paths = rest.filter((path) => isPopulatable(target.attributes.get(path.split(".")[0]!)));
      on.set(uid, { ...emptyQuery(target), populate: this.#paths(target, paths, depth + 1) });
    }
    return { ...this.#plain(attribute, []), on };
  }

  /** Whatever kinds there are, each with its own first level. */
  #everyKind(attribute: PopulatableAttribute): ReadonlyMap<string, Query> {
    const { components, types } = this.#model;
    const kinds = attribute.kind === "zone" ? components.values() : types.values();
    return new Map([...kinds].map((kind) => [kind.uid, { ...emptyQuery(kind), populate: this.#all(kind) }]));
  }

  #entry(schema: Schema, key: string, options: unknown, depth: number): Populate | undefined {
    const attribute = this.#attribute(schema, key);
    if (typeof options === "boolean" || (typeof options === "string" && isBooleanWord(options))) {
      if (!attribute || !isTrueWord(options)) return undefined;
      return this.#plain(attribute, []);
    }
    if (!attribute) return undefined;
    if (listsUsers(schema, attribute) && isRecord(options)) return this.#chosenUsers(attribute, options, depth);
    if (attribute.kind === "zone" || (attribute.kind === "relation" && !attribute.target)) {
      return this.#morph(schema, attribute, options, depth);
    }
    if (isRecord(options) && options.on !== undefined && options.on !== null) {
      throw validationError(`Using fragments is not permitted to populate "${key}" in "${schema.uid}"`);
    }
    const target = targetOf(this.#model, attribute);
    if (typeof options === "string") return options === "" ? undefined : this.#plain(attribute, []);
    if (!isRecord(options)) throw validationError("Invalid nested populate. Expected '*' or an object");
    const counted = options.count !== undefined && isTrueWord(options.count);
    return {
      ...this.#plain(attribute, []),
      query: target && this.#options(target, options, depth, isLinked(attribute)),
      // the reference counts none of these
      count: counted && !(attribute.kind === "relation" && attribute.virtual),
    };
  }

  /** `isLinked`: the rows are found by way of links. */
  #options(target: Schema, options: Params, depth: number, isLinked: boolean): Query {
    const sort = readSort(this.#model, target, options.sort);
    const where = options.filters ? readFilters(this.#model, target, options.filters) : undefined;
    const fields = readFields(target, options.fields || undefined);
    return {
      ...emptyQuery(target),
      sort,
      where,
      fields: isLinked || looksThrough(where) ? withSorted(target, fields, sort) : fields,
      populate: this.read(target, options.populate, depth + 1),
    };
  }

  #morph(schema: Schema, attribute: PopulatableAttribute, options: unknown, depth: number): Populate | undefined {
    const allowed = ["populate", "on", "count"];
    if (!isRecord(options) || Object.keys(options).some((key) => !allowed.includes(key))) {
      const name = schema.modelType === "contentType" ? schema.singularName : schema.displayName;
      const found = JSON.stringify(options);
      throw validationError(
        `Invalid nested populate for ${name}.${attribute.name} (${schema.uid}). Expected a fragment ("on") or "count" but found ${found}`,
      );
    }
    const isAllLevels = options.populate === "*" && (options.on === undefined || options.on === null);
    // the reference leaves such a list out of the answer
    if (isAllLevels && attribute.kind === "relation" && attribute.many) return undefined;
    const plain = this.#plain(attribute, []);
    const on =
      this.#fragments(options.on, depth) ?? (options.populate === "*" ? this.#everyKind(attribute) : undefined);
    return { ...plain, on, count: attribute.kind === "relation" && isTrueWord(options.count) };
  }

  #fragments(given: unknown, depth: number): ReadonlyMap<string, Query> | undefined {
    if (given === undefined || given === null) return undefined;
    const on = new Map<string, Query>();
    for (const [uid, fragment] of isRecord(given) ? Object.entries(given) : []) {
      const target = this.#model.components.get(uid) ?? this.#model.types.get(uid);
      if (!target || fragment === false || fragment === "false") continue;
      on.set(uid, isRecord(fragment) ? this.#options(target, fragment, depth, false) : emptyQuery(target));
    }
    return on;
  }
}

const invalidPopulate = () =>
  validationError("Invalid populate parameter. Expected a string, an array of strings, a populate object");

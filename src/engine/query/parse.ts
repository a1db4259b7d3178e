/** Parses parameters to a checked query, in Strapi's order, which decides which error is reported. */
import { ApiError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import {
  component,
  findTarget,
  hasPolymorphicTargets,
  isUnlinked,
  type Model,
  type PopulatableAttribute,
  type Schema,
} from "../schema/model.ts";
import { isBooleanWord, isPopulatable, shownIn } from "./check-params.ts";
import { type Caller, checkPlanned, isHidden, isMembers } from "./check-query.ts";
import { checkFilterShape, MAX_TEXT, readFilters } from "./filters.ts";
import { readFields, readSort, withSortedFields } from "./list-params.ts";
import { isPlanned } from "./populate-plans.ts";
import { type CanRead, type CheckedQuery, emptyQuery, filtersByRelation, type Populate, type Query } from "./tree.ts";
import { type PopulatedName, visitPath } from "./visit-populate.ts";

export type Params = Readonly<Record<string, unknown>>;

/** Each level of populate takes at least one statement. */
const MAX_POPULATE_DEPTH = 30;

/** The text of `_q`; undefined: none. Throws a ValidationError. */
export function readSearch(text: unknown): string | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  if (typeof text === "object") throw validationError("_q must be a string");
  if (String(text).length > MAX_TEXT) throw validationError(`_q takes at most ${MAX_TEXT} characters`);
  return String(text);
}

/** Without what is populated, if that is planned. */
const selection = (model: Model, schema: Schema, { fields, populate }: Params, caller: Caller): Query => ({
  ...emptyQuery(schema),
  fields: readFields(schema, fields),
  populate:
    populate && isPlanned(schema, populate, caller) ? [] : new PopulateReader(model, caller).read(schema, populate, 0),
});

/** `fields` and `populate`, the only parameters that apply to the response of a write. Throws a ValidationError. */
export const readSelection = (model: Model, schema: Schema, params: Params, caller: Caller): CheckedQuery =>
  checkPlanned(model, selection(model, schema, params, caller), params.populate, caller);

/** Expects parameters that `checkParams` has accepted; does not read pagination. Throws a ValidationError. */
export const readQuery = (model: Model, schema: Schema, params: Params, caller: Caller): CheckedQuery =>
  readPagedQuery(model, schema, params, caller, () => undefined).query;

/** As `readQuery`, with pagination, which Strapi reads between the other parameters. Also throws what `readPages` throws. */
export function readPagedQuery<T>(
  model: Model,
  schema: Schema,
  params: Params,
  caller: Caller,
  readPages: () => T,
): { readonly query: CheckedQuery; readonly pages: T } {
  const sort = readSort(model, schema, params.sort);
  const filters = parseFilters(model, schema, params.filters);
  const selected = selection(model, schema, params, caller);
  const pages = readPages();
  if (filters instanceof ApiError) throw filters;
  const search = readSearch(params._q);
  const query = { ...selected, search, sort, where: filters };
  return { query: checkPlanned(model, query, params.populate, caller), pages };
}

/** The condition, or its error, which Strapi reports after the errors of all other parameters. */
function parseFilters(model: Model, schema: Schema, filters: unknown): Query["where"] | ApiError {
  if (filters === undefined || filters === null) return undefined;
  if (!Array.isArray(filters)) checkFilterShape(filters);
  try {
    return readFilters(model, schema, filters);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const isLinked = (attribute: PopulatableAttribute): boolean => !(attribute.kind === "relation" && attribute.virtual);

/** Strapi counts neither virtual relations, nor media and other links to several types from their other side. */
const isCountable = (attribute: PopulatableAttribute): boolean =>
  attribute.kind === "relation" ? !attribute.virtual && !attribute.link.polymorphic : attribute.kind !== "media";

/** Whether a client's value for a relation to any type populates it: Strapi takes others for data, and removes them. */
export const populatesAnyType = (options: unknown): boolean =>
  options === true ||
  options === "true" ||
  (isRecord(options) && ("on" in options ? isRecord(options.on) : options.count === true || options.count === "true"));

const isTrueWord = (value: unknown): boolean =>
  value === true || value === "true" || value === "t" || value === "1" || value === 1;

function refuseDepth(depth: number): void {
  if (depth <= MAX_POPULATE_DEPTH) return;
  throw validationError(`populate must not be nested deeper than ${MAX_POPULATE_DEPTH} levels`);
}

class PopulateReader {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #readsAll: boolean;
  readonly #omitsMembers: boolean;

  constructor(model: Model, { canRead, readsAll, omitsMembers }: Caller) {
    this.#model = model;
    this.#canRead = canRead;
    this.#readsAll = readsAll === true;
    this.#omitsMembers = omitsMembers === true;
  }

  /** Relations that the caller may not follow are omitted silently, as in Strapi. */
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
    const shown = shownIn(schema, this.#canRead).filter((attribute) => !this.#isOmitted(schema, attribute));
    return shown.map((attribute) => this.#createPopulate(attribute, []));
  }

  /** An attribute that cannot have links has no key in Strapi's responses. */
  #isOmitted(schema: Schema, attribute: PopulatableAttribute): boolean {
    return isUnlinked(attribute) || (this.#omitsMembers && isMembers(schema, attribute));
  }

  /** Populates an attribute with its default fields, and with `populate` on the next level. */
  #createPopulate(attribute: PopulatableAttribute, populate: readonly Populate[]): Populate {
    const target = findTarget(this.#model, attribute);
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
    if (!isPopulatable(attribute) || this.#isOmitted(schema, attribute)) return undefined;
    return isHidden(schema, attribute, this.#canRead) ? undefined : attribute;
  }

  /** Paths and comma-separated lists of paths. A later string that is a prefix of an earlier path replaces it. */
  #strings(schema: Schema, texts: readonly string[], depth: number): Populate[] {
    const kept = texts.filter((text, index) => {
      const isReplaced = texts.slice(index + 1).some((later) => text.startsWith(`${later}.`));
      // a step that the caller may not follow removes the whole string, which Strapi splits at dots only
      const path = text.split(".").map((step) => step.trim());
      const isFollowed = ({ schema, key, attribute }: PopulatedName): boolean =>
        !isPopulatable(attribute) || this.#attribute(schema, key) !== undefined;
      return !isReplaced && visitPath(this.#model, schema, path, isFollowed);
    });
    const paths = kept.flatMap((text) => text.split(",")).map((path) => path.replace(/^[ .]+/, ""));
    return this.#paths(schema, paths, depth);
  }

  /** Dotted paths with the same prefix are merged. */
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
      const target = findTarget(this.#model, attribute);
      return this.#createPopulate(attribute, target && rest.length > 0 ? this.#paths(target, rest, depth + 1) : []);
    });
  }

  /** A path through a zone applies to the components that have the attribute; all entries are returned. */
  #zonePaths(attribute: PopulatableAttribute, rest: readonly string[], depth: number): Populate {
    const on = new Map<string, Query>();
    for (const uid of this.#model.components.keys()) {
      const target = component(this.#model, uid);
      const paths = rest.filter((path) => isPopulatable(target.attributes.get(path.split(".")[0]!)));
      on.set(uid, { ...emptyQuery(target), populate: this.#paths(target, paths, depth + 1) });
    }
    return { ...this.#createPopulate(attribute, []), on };
  }

  /** All possible target types, each with its first level populated. */
  #allTargets(attribute: PopulatableAttribute): ReadonlyMap<string, Query> {
    const { components, types } = this.#model;
    const targets = attribute.kind === "zone" ? components.values() : types.values();
    return new Map([...targets].map((target) => [target.uid, { ...emptyQuery(target), populate: this.#all(target) }]));
  }

  #entry(schema: Schema, key: string, options: unknown, depth: number): Populate | undefined {
    const attribute = this.#attribute(schema, key);
    const isPolymorphic = attribute !== undefined && hasPolymorphicTargets(attribute);
    if (isPolymorphic && attribute.kind === "relation" && !this.#readsAll && !populatesAnyType(options))
      return undefined;
    if (typeof options === "boolean" || (typeof options === "string" && isBooleanWord(options))) {
      if (!attribute || !isTrueWord(options)) return undefined;
      return this.#createPopulate(attribute, []);
    }
    if (!attribute) return undefined;
    if (isPolymorphic) return this.#polymorphic(schema, attribute, options, depth);
    if (isRecord(options) && options.on !== undefined && options.on !== null) {
      throw validationError(`Using fragments is not permitted to populate "${key}" in "${schema.uid}"`);
    }
    const target = findTarget(this.#model, attribute);
    if (typeof options === "string") return options === "" ? undefined : this.#createPopulate(attribute, []);
    if (!isRecord(options)) throw validationError("Invalid nested populate. Expected '*' or an object");
    return {
      ...this.#createPopulate(attribute, []),
      query: target && this.#options(target, options, depth, isLinked(attribute)),
      count: isTrueWord(options.count) && isCountable(attribute),
    };
  }

  /** `isLinked`: the rows are found through links. */
  #options(target: Schema, options: Params, depth: number, isLinked: boolean): Query {
    const sort = readSort(this.#model, target, options.sort);
    const where = options.filters ? readFilters(this.#model, target, options.filters) : undefined;
    const fields = readFields(target, options.fields || undefined);
    return {
      ...emptyQuery(target),
      sort,
      where,
      fields: isLinked || filtersByRelation(where) ? withSortedFields(target, fields, sort) : fields,
      populate: this.read(target, options.populate, depth + 1),
    };
  }

  #polymorphic(schema: Schema, attribute: PopulatableAttribute, options: unknown, depth: number): Populate | undefined {
    const allowed = ["populate", "on", "count"];
    if (!isRecord(options) || Object.keys(options).some((key) => !allowed.includes(key))) {
      const name = schema.modelType === "contentType" ? schema.singularName : schema.displayName;
      const received = JSON.stringify(options);
      throw validationError(
        `Invalid nested populate for ${name}.${attribute.name} (${schema.uid}). Expected a fragment ("on") or "count" but found ${received}`,
      );
    }
    const on =
      this.#fragments(options.on, depth) ?? (options.populate === "*" ? this.#allTargets(attribute) : undefined);
    return {
      ...this.#createPopulate(attribute, []),
      on,
      count: attribute.kind === "relation" && isTrueWord(options.count),
    };
  }

  #fragments(fragments: unknown, depth: number): ReadonlyMap<string, Query> | undefined {
    if (fragments === undefined || fragments === null) return undefined;
    const on = new Map<string, Query>();
    for (const [uid, fragment] of isRecord(fragments) ? Object.entries(fragments) : []) {
      const target = this.#model.components.get(uid) ?? this.#model.types.get(uid);
      if (!target) continue;
      // as in Strapi, fragments with options select the version, and others do not; `false` also populates
      const options = isRecord(fragment) ? this.#options(target, fragment, depth, false) : undefined;
      on.set(uid, options ? { ...options, isOfVersion: true } : emptyQuery(target));
    }
    return on;
  }
}

const invalidPopulate = () =>
  validationError("Invalid populate parameter. Expected a string, an array of strings, a populate object");

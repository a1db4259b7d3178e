/**
 * Checks what a caller may read. It works on the finished query tree, so that no syntax of a parameter can bypass it. It
 * also takes the size of the query from the request's budget.
 *
 * Hidden populates are omitted silently, as in Strapi. Hidden conditions and sort keys are refused as invalid keys,
 * except behind a relation to several types, where Strapi ignores them.
 */
import { type Budget, unlimited } from "../../lib/budget.ts";
import { invalidKeyError } from "../../lib/errors.ts";
import { ROLE, USER } from "../schema/builtin/index.ts";
import {
  type Attribute,
  hasPolymorphicTargets,
  type Model,
  type PopulatableAttribute,
  type ScalarAttribute,
  type Schema,
} from "../schema/model.ts";
import { listsUsers } from "./file-users.ts";
import { comparisons } from "./operators.ts";
import { plannedPopulate, planPopulate } from "./populate-plans.ts";
import {
  type CanRead,
  type CheckedQuery,
  type Condition,
  emptyQuery,
  type JoinableAttribute,
  joinPath,
  type Populate,
  type Query,
  type SortKey,
} from "./tree.ts";

/** Whether the caller may follow an attribute: relations need permission to find their target. */
export function isReadable(schema: Schema, attribute: Attribute, canRead: CanRead): boolean {
  if (attribute.kind !== "relation" || !attribute.target) return true;
  if (attribute.virtual === "creator" && schema.modelType === "contentType" && schema.populateCreatorFields)
    return true;
  return canRead(attribute.target, schema.uid);
}

/** Whether no caller may read an attribute, filter or sort by it. */
export const isSecret = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === "scalar" && attribute.type.isSecret === true);

/** Whether an attribute must not appear in a caller's query. */
export const isHidden = (schema: Schema, attribute: Attribute, canRead: CanRead): boolean =>
  isSecret(attribute) || !isReadable(schema, attribute, canRead);

/** The users of a role. Strapi's REST never returns them, even to callers who may read users. */
export const isMembers = (schema: Schema, attribute: Attribute): boolean =>
  schema.uid === ROLE && attribute.kind === "relation" && attribute.target === USER;

/** Who runs a query: what they may read, and how much. */
export interface Caller {
  readonly canRead: CanRead;
  readonly budget: Budget;
  /** May also read private attributes and password hashes. What clients may see of the result is decided later. */
  readonly readsAll?: true;
  /** The users of roles are not populated. */
  readonly omitsMembers?: true | undefined;
}

/** The position of the check in a parameter. */
interface Place {
  readonly schema: Schema;
  readonly param: string;
  readonly path: string | null;
  /** Behind a relation to several types. */
  readonly isBehindPolymorphic: boolean;
}

/** The cost of a text search, in conditions: it scans the text, while others compare a value. */
const TEXT_CONDITIONS = 20;

function countConditions({ operator, operand }: Condition & { kind: "compare" }): number {
  if (comparisons[operator].takes === "text") return TEXT_CONDITIONS;
  return Array.isArray(operand) ? operand.length + 1 : 1;
}

const isReturned = ({ type, private: isPrivate }: ScalarAttribute, { withPrivate }: Query): boolean =>
  !type.isSecret && (withPrivate === true || !isPrivate);

/** Maps a list and drops undefined results. Returns the same list when nothing changes. */
function filterMap<T>(list: readonly T[], map: (item: T) => T | undefined): readonly T[] {
  let changed: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!;
    const mapped = map(item);
    if (mapped === item && !changed) continue;
    changed ??= list.slice(0, index);
    if (mapped !== undefined) changed.push(mapped);
  }
  return changed ?? list;
}

class QueryCheck {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #budget: Budget;
  readonly #readsAll: boolean;

  constructor(model: Model, { canRead, budget, readsAll }: Caller) {
    this.#model = model;
    this.#canRead = canRead;
    this.#budget = budget;
    this.#readsAll = readsAll === true;
  }

  /** `param`: the parameter that the query is nested in, if any. `checked`: its populated attributes, if they are checked apart. */
  query(query: Query, param?: string, checked?: readonly Populate[]): Query {
    const { schema } = query;
    const at = (name: string): Place => ({ schema, param: param ?? name, path: null, isBehindPolymorphic: false });
    const where = query.where && this.#condition(query.where, at("filters"));
    const sort = filterMap(query.sort, (key) => this.#sortKey(key, at("sort")));
    const fields = filterMap(query.fields, (field) => (this.#readsAll || isReturned(field, query) ? field : undefined));
    const populate = checked ?? this.populate(query);
    if (query.search !== undefined) this.#budget.take("conditions", TEXT_CONDITIONS);
    const isUnchanged =
      where === query.where && sort === query.sort && fields === query.fields && populate === query.populate;
    return isUnchanged ? query : { ...query, where, sort, fields, populate };
  }

  populate({ schema, populate }: Query): readonly Populate[] {
    return filterMap(populate, (item) => this.#populate(schema, item));
  }

  #isHidden(schema: Schema, attribute: Attribute): boolean {
    return !this.#readsAll && isHidden(schema, attribute, this.#canRead);
  }

  /** Whether a condition or sort key may use the attribute. Throws "Invalid key" where it is not ignored. */
  #mayUse(name: string, { schema, param, path, isBehindPolymorphic }: Place): boolean {
    const attribute = schema.attributes.get(name);
    if (!attribute || !this.#isHidden(schema, attribute)) return true;
    if (isBehindPolymorphic) return false;
    throw invalidKeyError({ key: name, path: joinPath(path, name) }, { source: "query", param });
  }

  #placeBehind(attribute: JoinableAttribute, target: Schema, place: Place): Place {
    const isBehindPolymorphic =
      place.isBehindPolymorphic || (attribute.kind === "relation" && attribute.link.polymorphic);
    return { ...place, schema: target, path: joinPath(place.path, attribute.name), isBehindPolymorphic };
  }

  /** The condition without ignored parts; undefined when nothing is left. */
  #condition(condition: Condition, place: Place): Condition | undefined {
    switch (condition.kind) {
      case "all":
      case "any": {
        const of = filterMap(condition.of, (part) => this.#condition(part, place));
        if (of === condition.of) return condition;
        return of.length === 0 ? undefined : { ...condition, of };
      }
      case "not": {
        const of = this.#condition(condition.of, place);
        return of === condition.of ? condition : of && { ...condition, of };
      }
      case "compare": {
        this.#budget.take("conditions", countConditions(condition));
        return this.#mayUse(condition.field.name, place) ? condition : undefined;
      }
      case "related": {
        this.#budget.take("joins", 1);
        const { attribute, target } = condition;
        if (!this.#mayUse(attribute.name, place)) return undefined;
        const of = this.#condition(condition.of, this.#placeBehind(attribute, target, place));
        return of === condition.of ? condition : of && { ...condition, of };
      }
    }
  }

  #sortKey(key: SortKey, place: Place): SortKey | undefined {
    this.#budget.take("conditions", key.field === "_relevance" ? TEXT_CONDITIONS : 1);
    this.#budget.take("joins", key.path.length);
    let at = place;
    for (const { attribute, target } of key.path) {
      if (!this.#mayUse(attribute.name, at)) return undefined;
      at = this.#placeBehind(attribute, target, at);
    }
    return typeof key.field === "string" || this.#mayUse(key.field.name, at) ? key : undefined;
  }

  #populate(schema: Schema, item: Populate): Populate | undefined {
    this.#budget.take("populates", 1);
    const { attribute } = item;
    if (this.#isHidden(schema, attribute)) return undefined;
    const query = item.query && this.query(item.query, "populate");
    const on = hasPolymorphicTargets(attribute) ? this.#targets(schema, attribute, item.on) : item.on;
    // the caller may not find any of the types
    if (on?.size === 0 && item.on?.size !== 0 && attribute.kind !== "zone") return undefined;
    return query === item.query && on === item.on ? item : { ...item, query, on };
  }

  /** The query for each target type that the caller may find; without fragments, for all of those. */
  #targets(schema: Schema, attribute: PopulatableAttribute, fragments: Populate["on"]): ReadonlyMap<string, Query> {
    const on =
      fragments ?? new Map(this.#listTargets(attribute).map((target) => [target.uid, this.#wholeRows(target)]));
    // an entry of a zone is part of the document that is read; a component that uses a file belongs to another document
    const isOwned = (target: Schema): boolean => target.modelType === "component" && !listsUsers(schema, attribute);
    return new Map(
      [...on]
        .filter(([uid, { schema: target }]) => isOwned(target) || this.#canRead(uid, schema.uid))
        .map(([uid, query]) => [uid, this.query(query, "populate")]),
    );
  }

  #wholeRows(target: Schema): Query {
    return this.#readsAll ? { ...emptyQuery(target), isOfVersion: true } : emptyQuery(target);
  }

  #listTargets(attribute: PopulatableAttribute): readonly Schema[] {
    // a zone may still have entries of a component that it no longer lists
    const { components, types } = this.#model;
    return [...(attribute.kind === "zone" ? components : types).values()];
  }
}

const asChecked = (query: Query, budget: Budget): CheckedQuery => ({ ...query, budget }) as CheckedQuery;

/** Throws "Invalid key" for attributes that the caller may not read, and a ValidationError beyond the budget. */
export const checkQuery = (model: Model, query: Query, caller: Caller): CheckedQuery =>
  asChecked(new QueryCheck(model, caller).query(query), caller.budget);

/** As `checkQuery`, for the `populate` that a value asks for, which is checked once. */
export function checkPlanned(model: Model, query: Query, value: unknown, caller: Caller): CheckedQuery {
  if (!value) return checkQuery(model, query, caller);
  const check = new QueryCheck(model, caller);
  const { schema } = query;
  const others = check.query(query, undefined, []);
  const populate =
    plannedPopulate(schema, value, caller) ?? planPopulate(schema, value, caller, () => check.populate(query));
  return asChecked({ ...others, populate }, caller.budget);
}

/** Programs that embed Galley may read everything, without limits. */
export const program: Caller = { canRead: () => true, budget: unlimited };

/** May also read secrets. */
export const unrestricted: Caller = { ...program, readsAll: true };

/** For reads of the server itself, which need no check. */
export const trustedQuery = (query: Query): CheckedQuery => asChecked(query, unlimited);

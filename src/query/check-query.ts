/**
 * The one check of what a caller may look at, made on the finished tree, so that no form of a parameter can pass it by.
 * It also takes the size of the query from the request's budget.
 *
 * What is populated is left out silently, as in the reference. A condition or sort key is refused as an invalid
 * key, except behind a relation to several types: the reference ignores it there.
 */
import { type Budget, unlimited } from "../budget.ts";
import { invalidKeyError } from "../errors.ts";
import type { Attribute, Model, PopulatableAttribute, ScalarAttribute, Schema } from "../schema/model.ts";
import { hasKinds } from "./edges.ts";
import { listsUsers } from "./file-users.ts";
import { joinPath } from "./key-check.ts";
import { comparisons } from "./operators.ts";
import {
  type CanRead,
  type CheckedQuery,
  type Condition,
  emptyQuery,
  type JoinableAttribute,
  type Populate,
  type Query,
  type SortKey,
} from "./tree.ts";
import { isHidden } from "./visibility.ts";

/** For whom a query is made: what they may look at, and how much. */
export interface Caller {
  readonly canRead: CanRead;
  readonly budget: Budget;
  /** A project's own code, which sees passwords as their hashes, too; what clients may see is decided later. */
  readonly isCode?: true;
}

/** Where the check stands: behind which attributes of which parameter. */
interface Place {
  readonly schema: Schema;
  readonly param: string;
  readonly path: string | null;
  /** Behind a relation to several types. */
  readonly isBehindMorph: boolean;
}

/** What a search in a text counts: it reads all of the text, where other conditions compare values. */
const TEXT_CONDITIONS = 20;

function conditionsOf({ operator, operand }: Condition & { kind: "compare" }): number {
  if (comparisons[operator].takes === "text") return TEXT_CONDITIONS;
  return Array.isArray(operand) ? operand.length + 1 : 1;
}

const isAnswered = ({ type, private: isPrivate }: ScalarAttribute, { isForCode }: Query): boolean =>
  !type.secret && (isForCode === true || !isPrivate);

/** The list itself when every item stays as it is. */
function keep<T>(list: readonly T[], visit: (item: T) => T | undefined): readonly T[] {
  let kept: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!;
    const visited = visit(item);
    if (visited === item && !kept) continue;
    kept ??= list.slice(0, index);
    if (visited !== undefined) kept.push(visited);
  }
  return kept ?? list;
}

class QueryCheck {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #budget: Budget;
  readonly #isCode: boolean;

  constructor(model: Model, { canRead, budget, isCode }: Caller) {
    this.#model = model;
    this.#canRead = canRead;
    this.#budget = budget;
    this.#isCode = isCode === true;
  }

  /** `param`: the parameter in which the whole query stands, if it is nested in one. */
  query(query: Query, param?: string): Query {
    const { schema } = query;
    const at = (name: string): Place => ({ schema, param: param ?? name, path: null, isBehindMorph: false });
    const where = query.where && this.#condition(query.where, at("filters"));
    const sort = keep(query.sort, (key) => this.#sortKey(key, at("sort")));
    const fields = keep(query.fields, (field) => (this.#isCode || isAnswered(field, query) ? field : undefined));
    const populate = keep(query.populate, (item) => this.#populate(schema, item));
    if (query.search !== undefined) this.#budget.take("conditions", TEXT_CONDITIONS);
    const isSame =
      where === query.where && sort === query.sort && fields === query.fields && populate === query.populate;
    return isSame ? query : { ...query, where, sort, fields, populate };
  }

  #isHidden(schema: Schema, attribute: Attribute): boolean {
    return !this.#isCode && isHidden(schema, attribute, this.#canRead);
  }

  /** Whether the attribute of a condition or sort key may be used. Throws "Invalid key" where it must not be ignored. */
  #mayUse(name: string, { schema, param, path, isBehindMorph }: Place): boolean {
    const attribute = schema.attributes.get(name);
    if (!attribute || !this.#isHidden(schema, attribute)) return true;
    if (isBehindMorph) return false;
    throw invalidKeyError({ key: name, path: joinPath(path, name) }, { source: "query", param });
  }

  #behind(attribute: JoinableAttribute, target: Schema, place: Place): Place {
    const isBehindMorph = place.isBehindMorph || (attribute.kind === "relation" && attribute.link.polymorphic);
    return { ...place, schema: target, path: joinPath(place.path, attribute.name), isBehindMorph };
  }

  /** The condition without what is ignored; undefined when nothing is left. */
  #condition(condition: Condition, place: Place): Condition | undefined {
    switch (condition.kind) {
      case "all":
      case "any": {
        const of = keep(condition.of, (part) => this.#condition(part, place));
        if (of === condition.of) return condition;
        return of.length === 0 ? undefined : { ...condition, of };
      }
      case "not": {
        const of = this.#condition(condition.of, place);
        return of === condition.of ? condition : of && { ...condition, of };
      }
      case "compare": {
        this.#budget.take("conditions", conditionsOf(condition));
        return this.#mayUse(condition.field.name, place) ? condition : undefined;
      }
      case "related": {
        this.#budget.take("joins", 1);
        const { attribute, target } = condition;
        if (!this.#mayUse(attribute.name, place)) return undefined;
        const of = this.#condition(condition.of, this.#behind(attribute, target, place));
        return of === condition.of ? condition : of && { ...condition, of };
      }
    }
  }

  #sortKey(key: SortKey, place: Place): SortKey | undefined {
    this.#budget.take("conditions", 1);
    this.#budget.take("joins", key.path.length);
    let at = place;
    for (const { attribute, target } of key.path) {
      if (!this.#mayUse(attribute.name, at)) return undefined;
      at = this.#behind(attribute, target, at);
    }
    return key.field === "status" || this.#mayUse(key.field.name, at) ? key : undefined;
  }

  #populate(schema: Schema, item: Populate): Populate | undefined {
    this.#budget.take("populates", 1);
    const { attribute } = item;
    if (this.#isHidden(schema, attribute)) return undefined;
    const query = item.query && this.query(item.query, "populate");
    const on = hasKinds(attribute) ? this.#kinds(schema, attribute, item.on) : item.on;
    // nothing but types that the caller may not find
    if (item.on && item.on.size > 0 && on?.size === 0) return undefined;
    return query === item.query && on === item.on ? item : { ...item, query, on };
  }

  /** What is read of each kind of target. Without a choice: of every type that the caller may find. */
  #kinds(schema: Schema, attribute: PopulatableAttribute, chosen: Populate["on"]): ReadonlyMap<string, Query> {
    const on = chosen ?? new Map(this.#kindsOf(attribute).map((kind) => [kind.uid, emptyQuery(kind)]));
    // entries of zones are parts of what the caller reads, while rows of components that use a file are on their own
    const isOwned = (kind: Schema): boolean => kind.modelType === "component" && !listsUsers(schema, attribute);
    return new Map(
      [...on]
        .filter(([uid, { schema: kind }]) => isOwned(kind) || this.#canRead(uid, schema.uid))
        .map(([uid, query]) => [uid, this.query(query, "populate")]),
    );
  }

  #kindsOf(attribute: PopulatableAttribute): readonly Schema[] {
    // a zone may hold entries of a component that it does not list any more
    const { components, types } = this.#model;
    return [...(attribute.kind === "zone" ? components : types).values()];
  }
}

const asChecked = (query: Query, budget: Budget): CheckedQuery => ({ ...query, budget }) as CheckedQuery;

/** Throws "Invalid key" for what the caller must not look at, and a ValidationError for a query beyond the budget. */
export const checkQuery = (model: Model, query: Query, caller: Caller): CheckedQuery =>
  asChecked(new QueryCheck(model, caller).query(query), caller.budget);

/** Programs may look at everything, as much as they want. */
export const program: Caller = { canRead: () => true, budget: unlimited };

/** A project's own code may look at what nobody else sees. */
export const projectCode: Caller = { ...program, isCode: true };

/** What the server reads for itself: whole rows, or what it has put together by its own rules. */
export const ownQuery = (query: Query): CheckedQuery => asChecked(query, unlimited);

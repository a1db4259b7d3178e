/** What conditions look at, as cache tags: the attribute, or the documents with a value of it where a condition asks for one. */
import type { PopulatableAttribute } from "../schema/model.ts";
import {
  ANY,
  add,
  addAny,
  attributePart,
  beyond,
  changedValuePart,
  documentPart,
  linkedValuePart,
  type Place,
  ROW_IDS,
  valuePart,
} from "../storage/cache-tags.ts";
import { comparedColumns } from "../storage/change-log/values.ts";
import { isSecret } from "./check-query.ts";
import { searchedAttributes } from "./search.ts";
import { type Condition, type Field, holdsForNull, isIdKey, type Query } from "./tree.ts";

/** Of a search in more attributes, none is named. */
const MAX_SEARCHED = 10;
/** Of more values in a filter, only the attribute is named. */
const MAX_VALUES = 50;

/** A step to other rows. */
export function follow(attribute: PopulatableAttribute, place: Place, part = attributePart(attribute.name)): void {
  if (attribute.kind !== "relation" || attribute.virtual === undefined) add(place, part);
  else if (attribute.virtual === "creator") place.tags.giveUp();
  else if (attribute.virtual === "localizations") addAny(place.tags, place.schema);
}

/** Returns whether a new row may match without changing anything else that the condition looks at. */
export function dependOnCondition(condition: Condition, place: Place, negated = false): boolean {
  switch (condition.kind) {
    case "not":
      return dependOnCondition(condition.of, place, !negated);
    case "all":
    case "any": {
      const parts = condition.of.map((part) => dependOnCondition(part, place, negated));
      return (condition.kind === "all") === negated ? parts.some(Boolean) : parts.every(Boolean);
    }
    case "compare":
      return dependOnComparison(condition, place, negated);
    case "related": {
      const { attribute, target, of } = condition;
      const there = beyond(place, target);
      const values = negated || target.modelType === "component" ? undefined : valuesBeyond(of, there);
      if (values) dependOnValuesBeyond(values, attribute, place, there);
      else {
        follow(attribute, place);
        dependOnCondition(of, there, negated);
      }
      return holdsForNull(of, negated) === true;
    }
  }
}

function dependOnComparison(condition: Condition & { kind: "compare" }, place: Place, negated: boolean): boolean {
  const { field, operator } = condition;
  const values = negated ? undefined : comparedValues(condition);
  if (values && field.column === "document_id") for (const id of values) add(place, documentPart(String(id)));
  else if (values && isCompared(field, place)) for (const value of values) add(place, valuePart(field.column, value));
  else if (operator === "$null" || operator === "$notNull") return dependOnPresence(field, place);
  else return !dependOnField(field, place);
  return false;
}

/** Returns whether a new row may match. */
function dependOnPresence(field: Field, place: Place): boolean {
  // every row has ids
  if (isIdKey(field.name)) return true;
  if (!isCompared(field, place)) return !dependOnField(field, place);
  add(place, changedValuePart(field.column, null));
  return true;
}

/** Returns whether the tag is also stale when there is a new row. */
export function dependOnField(field: Field, place: Place): boolean {
  const attribute = place.schema.attributes.get(field.name);
  const isPart = attribute && !isSecret(attribute) && !OF_VERSION.has(field.column);
  if (isPart) add(place, attributePart(field.column));
  else add(place, field.column === "id" ? ROW_IDS : ANY);
  return !isPart;
}

/** A search looks at the ids of a row as well; that of its document is always the same. */
export function dependOnSearch(query: Query, search: string, place: Place): void {
  const fields = searchedAttributes({ ...query, search });
  if (fields.length > MAX_SEARCHED) add(place, ANY);
  else for (const field of fields) dependOnField(field, place);
  if (/^\d+$/.test(search)) add(place, ROW_IDS);
}

const OF_VERSION: ReadonlySet<string> = new Set(["locale", "status"]);

/** Whether writes say which values they change, and clients may know them. */
const isCompared = ({ column }: Field, { schema }: Place): boolean => comparedColumns(schema).has(column);

/** The values that a field must have one of. */
function comparedValues({ operator, operand }: Condition & { kind: "compare" }) {
  if (operator !== "$eq" && operator !== "$in") return undefined;
  const values = [operand].flat();
  return values.length <= MAX_VALUES && values.every((value) => value !== null) ? values : undefined;
}

type ValueBeyond = readonly [column: string, value: string | number | bigint | boolean];

/** The values one of which what a relation leads to must have. */
function valuesBeyond(condition: Condition, target: Place): readonly ValueBeyond[] | undefined {
  if (condition.kind === "all" && condition.of.length === 1) return valuesBeyond(condition.of[0]!, target);
  if (condition.kind !== "compare") return undefined;
  const { field } = condition;
  if (field.column !== "document_id" && !isCompared(field, target)) return undefined;
  return comparedValues(condition)?.map((value) => [field.column, value]);
}

/** Links say what they lead to, also if that is new or gone. */
function dependOnValuesBeyond(
  values: readonly ValueBeyond[],
  attribute: PopulatableAttribute,
  place: Place,
  target: Place,
): void {
  for (const [column, value] of values) {
    if (column === "document_id") follow(attribute, place, valuePart(attribute.name, value));
    else {
      follow(attribute, place, linkedValuePart(attribute.name, column, value));
      add(target, changedValuePart(column, value));
    }
  }
}

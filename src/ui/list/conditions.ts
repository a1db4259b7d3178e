/** Filters of a list as conditions: path, operator and values. */
import { developerDetails } from "../developer-details.ts";
import { localDateTime } from "../local-date-time.ts";
import { type Attribute, type ContentType, findComponent, findType, formatLabel } from "../model.ts";

/** The number of values that an operator takes. */
type ValueCount = "none" | "one" | "two" | "many";

interface Operator {
  readonly label: string;
  readonly values: ValueCount;
}

export const operators = {
  $eq: { label: "is", values: "one" },
  $ne: { label: "is not", values: "one" },
  $eqi: { label: "is (case-insensitive)", values: "one" },
  $nei: { label: "is not (case-insensitive)", values: "one" },
  $contains: { label: "contains", values: "one" },
  $notContains: { label: "does not contain", values: "one" },
  $containsi: { label: "contains (case-insensitive)", values: "one" },
  $notContainsi: { label: "does not contain (case-insensitive)", values: "one" },
  $startsWith: { label: "starts with", values: "one" },
  $startsWithi: { label: "starts with (case-insensitive)", values: "one" },
  $endsWith: { label: "ends with", values: "one" },
  $endsWithi: { label: "ends with (case-insensitive)", values: "one" },
  $lt: { label: "is less than", values: "one" },
  $lte: { label: "is at most", values: "one" },
  $gt: { label: "is more than", values: "one" },
  $gte: { label: "is at least", values: "one" },
  $between: { label: "is between", values: "two" },
  $in: { label: "is one of", values: "many" },
  $notIn: { label: "is none of", values: "many" },
  $null: { label: "is empty", values: "none" },
  $notNull: { label: "is not empty", values: "none" },
} as const satisfies Record<string, Operator>;

export type OperatorName = keyof typeof operators;

export const isOperator = (name: string): name is OperatorName => Object.hasOwn(operators, name);

const ALL = Object.keys(operators) as readonly OperatorName[];

const PRESENCE: readonly OperatorName[] = ["$null", "$notNull"];
const LISTED: readonly OperatorName[] = ["$in", "$notIn", ...PRESENCE];
const CHOICE: readonly OperatorName[] = ["$eq", "$ne", ...LISTED];
const ORDERED: readonly OperatorName[] = ["$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$between", ...LISTED];
/** Without regard to the case of letters, except for developers, who choose. */
const TEXT: readonly OperatorName[] = [
  ...(["$containsi", "$notContainsi", "$eqi", "$nei", "$startsWithi", "$endsWithi"] as const),
  ...LISTED,
];

/** Operators by attribute type; other types have those of text. */
const byType: Readonly<Record<string, readonly OperatorName[]>> = {
  integer: ORDERED,
  biginteger: ORDERED,
  float: ORDERED,
  decimal: ORDERED,
  date: ORDERED,
  datetime: ORDERED,
  timestamp: ORDERED,
  time: ORDERED,
  boolean: ["$eq", "$ne", ...PRESENCE],
  enumeration: CHOICE,
  relation: PRESENCE,
  media: PRESENCE,
  component: PRESENCE,
};

export const listOperators = ({ type }: Attribute): readonly OperatorName[] =>
  byType[type] ?? (developerDetails.value ? ALL : TEXT);

/** Of dates and times. */
const timeLabels: Readonly<Partial<Record<OperatorName, string>>> = {
  $lt: "is before",
  $lte: "is not after",
  $gt: "is after",
  $gte: "is not before",
};

const MOMENTS: ReadonlySet<string> = new Set(["datetime", "timestamp"]);
const TIMES: ReadonlySet<string> = new Set([...MOMENTS, "date", "time"]);

/** "(case-insensitive)" tells operators apart that only developers see side by side. */
export function operatorLabel(name: OperatorName, type: string | undefined): string {
  const label = (TIMES.has(type ?? "") ? timeLabels[name] : undefined) ?? operators[name].label;
  return developerDetails.value ? label : label.replace(" (case-insensitive)", "");
}

export interface Condition {
  /** Names from the document down: through relations and components. */
  readonly path: readonly string[];
  readonly operator: OperatorName;
  readonly values: readonly string[];
}

export interface Conditions {
  readonly match: "$and" | "$or";
  readonly list: readonly Condition[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function readCondition(value: unknown): Condition | undefined {
  const path: string[] = [];
  let current = value;
  while (isObject(current)) {
    const [[key, inner] = [""], ...others] = Object.entries(current);
    if (others.length > 0) return undefined;
    if (isOperator(key)) {
      const values = isObject(inner) ? Object.values(inner) : [inner];
      return values.every((item) => typeof item === "string") ? { path, operator: key, values } : undefined;
    }
    if (key.startsWith("$")) return undefined;
    path.push(key);
    current = inner;
  }
  return undefined;
}

/** Undefined for nested filters, which the form cannot show. */
export function readConditions(filters: object | undefined): Conditions | undefined {
  if (!filters) return { match: "$and", list: [] };
  const [[key, inner] = [""], ...others] = Object.entries(filters);
  const isGroup = others.length === 0 && (key === "$and" || key === "$or") && isObject(inner);
  const list = (isGroup ? Object.values(inner) : [filters]).map(readCondition);
  if (!list.every((condition) => condition !== undefined)) return undefined;
  return { match: isGroup && key === "$or" ? "$or" : "$and", list };
}

/** Parameters of the URL, as the server takes them. */
export function writeConditions({ match, list }: Conditions): [name: string, value: string][] {
  return list.flatMap(({ path, operator, values }, index) => {
    const name = `filters[${match}][${index}]${path.map((key) => `[${key}]`).join("")}[${operator}]`;
    const { values: valueCount } = operators[operator];
    if (valueCount === "none") return [[name, "true"] satisfies [string, string]];
    if (valueCount === "one") return [[name, values[0] ?? ""] satisfies [string, string]];
    return values.map((value, at): [string, string] => [`${name}[${at}]`, value]);
  });
}

/** The attributes of a relation's target or a component; undefined for other attributes. */
export function nestedAttributes(attribute: Attribute | undefined): Readonly<Record<string, Attribute>> | undefined {
  if (attribute?.type === "relation") return findType(String(attribute.target))?.attributes;
  return attribute?.type === "component" ? findComponent(String(attribute.component))?.attributes : undefined;
}

export function attributeAt({ attributes }: ContentType, path: readonly string[]): Attribute | undefined {
  let attributesHere: Readonly<Record<string, Attribute>> | undefined = attributes;
  let found: Attribute | undefined;
  for (const name of path) {
    found = attributesHere?.[name];
    attributesHere = nestedAttributes(found);
  }
  return found;
}

/** As a sentence: "Author name contains Ann". */
export function formatCondition(contentType: ContentType, { path, operator, values }: Condition): string {
  const type = attributeAt(contentType, path)?.type;
  // in the time zone in which they are chosen
  const texts = MOMENTS.has(type ?? "") ? values.map((value) => localDateTime(value).replace("T", " ")) : values;
  const shown = operators[operator].values === "none" ? "" : ` ${texts.join(", ")}`;
  return `${path.map(formatLabel).join(" › ")} ${operatorLabel(operator, type)}${shown}`;
}

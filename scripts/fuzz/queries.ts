/** Query strings of REST and operations of GraphQL, along the attributes of types and beside them. */
import type { Random } from "../../test/random.ts";
import { anything, dataOf, isMixed, keyOf, leads, oddText, targetOf, uidOf } from "./values.ts";

const operators = [
  "eq",
  "ne",
  "eqi",
  "lt",
  "lte",
  "gt",
  "gte",
  "in",
  "notIn",
  "contains",
  "notContains",
  "containsi",
  "startsWith",
  "endsWithi",
  "between",
  "null",
  "notNull",
  "not",
  "and",
  "or",
  "no",
];

/** Attribute names joined along relations. */
function steps(random: Random, type: string, most: number): string[] {
  const keys: string[] = [];
  let here = type;
  for (let count = 1 + random.below(most); count > 0; count--) {
    const key = keyOf(random, here);
    keys.push(key);
    here = targetOf(random, here, key);
  }
  return keys;
}

const bracket = (keys: readonly string[]): string =>
  keys.map((key) => `[${encodeURIComponent(key.toWellFormed())}]`).join("");
const value = (random: Random): string => encodeURIComponent(oddText(random).toWellFormed());

function filter(random: Random, type: string): string {
  const logic = random.chance(0.3) ? `[$${random.pick(["and", "or", "not"])}][${random.below(3)}]` : "";
  const operator = random.chance(0.8) ? `[$${random.pick(operators)}]` : "";
  return `[filters]${logic}${bracket(steps(random, type, 5))}${operator}=${value(random)}`;
}

function populate(random: Random, type: string, depth = 3): string[] {
  if (random.chance(0.2))
    return [`[populate]=${random.chance(0.6) ? "*" : steps(random, type, 6).map(encodeName).join(".")}`];
  const key = keyOf(random, type);
  const on = random.chance(0.15) ? `[on][${uidOf(random)}]` : "";
  const inner = depth > 0 ? part(random, targetOf(random, type, key), depth - 1) : ["=true"];
  return inner.map((text) => `[populate]${bracket([key])}${on}${text}`);
}

const encodeName = (name: string): string => encodeURIComponent(name.toWellFormed());
const sort = (random: Random, type: string): string =>
  `[sort]=${steps(random, type, random.chance(0.1) ? 20 : 4)
    .map(encodeName)
    .join(".")}${random.pick(["", ":asc", ":desc", ",id"])}`;

const rows: readonly ((random: Random, type: string, depth: number) => string[])[] = [
  (random, type) => [filter(random, type)],
  (random, type) => [filter(random, type), filter(random, type)],
  populate,
  populate,
  (random, type) => [sort(random, type)],
  (random, type) => [`[fields][${random.below(3)}]=${encodeName(keyOf(random, type))}`],
  (random) => [`[pagination][${random.pick(["page", "pageSize", "start", "limit", "withCount"])}]=${value(random)}`],
  (random) => [
    `[${random.pick(["locale", "status", "_q", "publicationState", "hasPublishedVersion", "filters", "populate", "sort"])}]=${value(random)}`,
  ],
];

const part = (random: Random, type: string, depth: number): string[] => random.pick(rows)(random, type, depth);

/** Without the question mark. */
export function queryString(random: Random, type: string): string {
  const parts = Array.from({ length: random.below(4) }, () => part(random, type, 3)).flat();
  if (random.chance(0.01)) parts.push(...Array.from({ length: 1_200 }, (_, at) => `[filters][$or][${at}][title]=x`));
  // the outermost name stands without brackets
  const text = parts.map((one) => one.replace(/^\[(\w+)\]/, "$1")).join("&");
  return random.chance(0.03) ? text.slice(0, random.below(text.length + 1)) : text;
}

const word = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : "title");
const typeName = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);

function graphqlFilter(random: Random, type: string, depth: number): Record<string, unknown> {
  if (depth > 0 && random.chance(0.3)) {
    const size = random.chance(0.02) ? 300 : random.below(4);
    return { [random.pick(["and", "or"])]: Array.from({ length: size }, () => graphqlFilter(random, type, depth - 1)) };
  }
  const key = word(keyOf(random, type));
  if (depth > 0 && random.chance(0.4)) return { [key]: graphqlFilter(random, targetOf(random, type, key), depth - 1) };
  return { [key]: { [random.pick(operators)]: anything(random, 1) } };
}

function selection(random: Random, type: string, depth: number): string {
  const fields = Array.from({ length: 1 + random.below(4) }, () => {
    const key = word(keyOf(random, type));
    const alias = random.chance(0.2) ? `a${random.below(5)}: ` : "";
    if (isMixed(type, key)) return `${alias}${key} { __typename }`;
    const below = leads(type, key) !== random.chance(0.03);
    if (below && depth === 0) return "__typename";
    return `${alias}${key}${below ? ` { ${selection(random, targetOf(random, type, key), depth - 1)} }` : ""}`;
  });
  if (type === "post" && random.chance(0.1))
    fields.push("... on Post { title related { __typename ... on Tag { name } } }");
  return `${type.includes(".") ? "id" : "documentId"} ${fields.join(" ")}`;
}

const operationRows: readonly ((random: Random, type: string) => { query: string; variables?: unknown })[] = [
  (random, type) => ({
    query: `query($f: ${typeName(type)}FiltersInput, $s: [String], $p: PaginationArg) { ${type}s(filters: $f, sort: $s, pagination: $p) { ${selection(random, type, 4)} } }`,
    variables: {
      f: graphqlFilter(random, type, 4),
      s: [steps(random, type, 6).join(".")],
      p: random.chance(0.5) ? { limit: random.below(200) } : anything(random, 1),
    },
  }),
  (random, type) => ({
    query: `{ ${Array.from({ length: 1 + random.below(random.chance(0.05) ? 100 : 4) }, (_, at) => `a${at}: ${type}s { ${selection(random, type, 3)} }`).join(" ")} }`,
  }),
  (random, type) => ({
    query: `mutation($d: ${typeName(type)}Input!) { create${typeName(type)}(data: $d) { ${selection(random, type, 3)} } }`,
    variables: { d: dataOf(random, type) },
  }),
  (random) => ({
    query: `mutation { forgotPassword(email: ${JSON.stringify(oddText(random).toWellFormed())}) { ok } }`,
  }),
  (random) => ({
    query: `{ __schema { types { ${random.chance(0.5) ? "name fields { name type { ofType { name } } }" : "name"} } } }`,
  }),
  (random) => ({ query: oddText(random), variables: anything(random) }),
  (random) => ({ query: `${"{ posts { tags ".repeat(random.below(60))}${"}".repeat(random.below(60))}` }),
];

/** The body of a GraphQL request. */
export function operation(random: Random, type: string): Record<string, unknown> {
  const made = random.pick(operationRows)(random, type);
  const query = random.chance(0.03) ? made.query.slice(0, random.below(made.query.length + 1)) : made.query;
  return { ...made, query, ...(random.chance(0.05) ? { operationName: oddText(random) } : {}) };
}

/** Query strings of REST and operations of GraphQL, along the attributes of types and beside them. */
import type { Choices } from "./choices.ts";
import {
  anything,
  chooseId,
  chooseLink,
  chooseOperand,
  choosePlainLink,
  chooseScalar,
  chooseTarget,
  chooseUid,
  createData,
  isPolymorphic,
  leads,
  oddText,
} from "./values.ts";

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
];
const chooseOperator = (random: Choices): string =>
  random.slips(0.15) ? random.pick(["not", "and", "or", "no"]) : random.pick(operators);

/** Attributes along relations, and the type that the last of them is of. */
interface Path {
  readonly keys: readonly string[];
  readonly type: string;
}

/** `most`: relations to go through. */
function linkPath(random: Choices, type: string, most: number): Path {
  const keys: string[] = [];
  let here = type;
  for (let count = random.below(most + 1); count > 0; count--) {
    const key = choosePlainLink(random, here);
    if (key === undefined) break;
    keys.push(key);
    here = chooseTarget(random, here, key);
  }
  return { keys, type: here };
}

/** Ends with an attribute that has a value of its own. */
function valuePath(random: Choices, from: string, most: number): Path {
  const { keys, type } = linkPath(random, from, most);
  return { keys: [...keys, chooseScalar(random, type)], type };
}

const encodeName = (name: string): string => encodeURIComponent(name.toWellFormed());
const bracket = (keys: readonly string[]): string => keys.map((key) => `[${encodeName(key)}]`).join("");
const value = (random: Choices): string => encodeName(oddText(random));

function filter(random: Choices, type: string): string {
  const logic = random.chance(0.3) ? `[$${random.pick(["and", "or", "not"])}][${random.below(3)}]` : "";
  const path = valuePath(random, type, 4);
  const operator = random.chance(0.8) ? `[$${chooseOperator(random)}]` : "";
  return `[filters]${logic}${bracket(path.keys)}${operator}=${encodeName(chooseOperand(random, path.type, path.keys.at(-1)!))}`;
}

function populate(random: Choices, type: string, depth = 3): string[] {
  if (random.chance(0.2)) {
    const keys = [chooseLink(random, type), ...linkPath(random, type, 5).keys];
    return [`[populate]=${random.chance(0.6) ? "*" : keys.map(encodeName).join(".")}`];
  }
  const key = chooseLink(random, type);
  const on = isPolymorphic(type, key) !== random.slips(0.1) && random.chance(0.7) ? `[on][${chooseUid(random)}]` : "";
  const inner = depth > 0 ? part(random, chooseTarget(random, type, key), depth - 1) : ["=true"];
  return inner.map((text) => `[populate]${bracket([key])}${on}${text}`);
}

const sort = (random: Choices, type: string): string =>
  `[sort]=${valuePath(random, type, random.chance(0.1) ? 20 : 3)
    .keys.map(encodeName)
    .join(".")}${random.pick(["", ":asc", ":desc", ",id"])}`;

function page(random: Choices): string {
  const key = random.pick(["page", "pageSize", "start", "limit", "withCount"]);
  return `[pagination][${key}]=${random.slips(0.5) ? value(random) : 1 + random.below(key === "page" ? 3 : key === "withCount" ? 1 : 100)}`;
}

/** Parameters beside the others, with their values. */
const settings: Readonly<Record<string, readonly string[]>> = {
  locale: ["en", "de", "*"],
  status: ["draft", "published"],
  _q: ["post", "a", "2"],
  publicationState: ["live"],
  hasPublishedVersion: ["true", "false"],
};

function setting(random: Choices): string {
  const key = random.slips(0.2)
    ? random.pick(["filters", "populate", "sort", "fields"])
    : random.pick(Object.keys(settings));
  return `[${key}]=${random.slips(0.5) ? value(random) : random.pick(settings[key] ?? ["*"])}`;
}

const rows: readonly ((random: Choices, type: string, depth: number) => string[])[] = [
  (random, type) => [filter(random, type)],
  (random, type) => [filter(random, type), filter(random, type)],
  populate,
  populate,
  (random, type) => [sort(random, type)],
  (random, type) => [`[fields][${random.below(3)}]=${encodeName(chooseScalar(random, type))}`],
  (random) => [page(random)],
  (random) => [setting(random)],
];

const part = (random: Choices, type: string, depth: number): string[] => random.pick(rows)(random, type, depth);

/** Without the question mark. */
export function queryString(random: Choices, type: string): string {
  const parts = Array.from({ length: random.below(4) }, () => part(random, type, 3)).flat();
  if (random.chance(0.01)) parts.push(...Array.from({ length: 1_200 }, (_, at) => `[filters][$or][${at}][title]=x`));
  // the outermost name stands without brackets
  const text = parts.map((one) => one.replace(/^\[(\w+)\]/, "$1")).join("&");
  return random.slips(0.06) ? text.slice(0, random.below(text.length + 1)) : text;
}

const word = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : "title");
const typeName = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);

function graphqlFilter(random: Choices, type: string, depth: number): Record<string, unknown> {
  if (depth > 0 && random.chance(0.3)) {
    const size = random.chance(0.02) ? 300 : random.below(4);
    return { [random.pick(["and", "or"])]: Array.from({ length: size }, () => graphqlFilter(random, type, depth - 1)) };
  }
  const key = word(choosePlainLink(random, type) ?? "id");
  if (depth > 0 && random.chance(0.4) && leads(type, key))
    return { [key]: graphqlFilter(random, chooseTarget(random, type, key), depth - 1) };
  const scalar = word(chooseScalar(random, type));
  const operand = random.slips(0.5) ? anything(random, 1) : chooseOperand(random, type, scalar);
  return { [scalar]: { [chooseOperator(random)]: operand } };
}

function selection(random: Choices, type: string, depth: number): string {
  const fields = Array.from({ length: 1 + random.below(4) }, () => {
    const key = word(random.chance(0.5) ? chooseLink(random, type) : chooseScalar(random, type));
    // in careful requests each name has one meaning
    const alias = random.chance(0.2) ? `${key}${random.slips(0.5) ? "" : random.below(5)}: ` : "";
    // the inverse side of a polymorphic relation is no field
    if (key.startsWith("mention") && !random.slips(0.1)) return "__typename";
    if (isPolymorphic(type, key)) return `${alias}${key} { __typename }`;
    const below = leads(type, key) !== random.slips(0.06);
    if (below && depth === 0) return "__typename";
    return `${alias}${key}${below ? ` { ${createSelection(random, type, key, depth - 1)} }` : ""}`;
  });
  if (type === "post" && random.chance(0.1))
    fields.push("... on Post { title related { __typename ... on Tag { name } } }");
  return `${type.includes(".") ? "id" : "documentId"} ${fields.join(" ")}`;
}

/** Types of the server itself have fields of their own. */
const ownSelections: Readonly<Record<string, string>> = {
  cover: "documentId url formats",
  files: "documentId url related { __typename }",
  author: "documentId username",
};
const createSelection = (random: Choices, type: string, key: string, depth: number): string =>
  ownSelections[key] ?? selection(random, chooseTarget(random, type, key), depth);

const operationRows: readonly ((random: Choices, type: string) => { query: string; variables?: unknown })[] = [
  (random, type) => ({
    query: `query($f: ${typeName(type)}FiltersInput, $s: [String], $p: PaginationArg) { ${type}s(filters: $f, sort: $s, pagination: $p) { ${selection(random, type, 4)} } }`,
    variables: {
      f: graphqlFilter(random, type, 4),
      s: [valuePath(random, type, random.slips(0.2) ? 20 : 3).keys.join(".")],
      p: random.slips(0.5) ? anything(random, 1) : { limit: random.below(200) },
    },
  }),
  (random, type) => ({
    query: `{ ${Array.from({ length: 1 + random.below(random.chance(0.05) ? 100 : 4) }, (_, at) => `a${at}: ${type}s { ${selection(random, type, 3)} }`).join(" ")} }`,
  }),
  (random, type) => ({
    query: `query($id: ID!) { ${type}(documentId: $id) { ...F } } fragment F on ${typeName(type)} { ${selection(random, type, 3)} }`,
    variables: { id: chooseId(random, type) },
  }),
  (random, type) => ({
    query: `mutation($d: ${typeName(type)}Input!, $id: ID!) { update${typeName(type)}(documentId: $id, data: $d) { ${selection(random, type, 2)} } }`,
    variables: { d: createData(random, type), id: chooseId(random, type) },
  }),
  (random, type) => ({
    query: `mutation($d: ${typeName(type)}Input!) { create${typeName(type)}(data: $d) { ${selection(random, type, 3)} } }`,
    variables: { d: createData(random, type) },
  }),
  (random) => ({
    query: `mutation { forgotPassword(email: ${JSON.stringify(random.slips(0.8) ? oddText(random).toWellFormed() : "a@example.com")}) { ok } }`,
  }),
  (random) => ({
    query: `{ __schema { types { ${random.chance(0.5) ? "name fields { name type { ofType { name } } }" : "name"} } } }`,
  }),
];
const brokenOperations: readonly ((random: Choices) => { query: string; variables?: unknown })[] = [
  (random) => ({ query: oddText(random), variables: anything(random) }),
  (random) => ({ query: `${"{ posts { tags ".repeat(random.below(60))}${"}".repeat(random.below(60))}` }),
];

/** The body of a GraphQL request. */
export function operation(random: Choices, type: string): Record<string, unknown> {
  const made = random.pick(random.slips(0.2) ? brokenOperations : operationRows)(random, type);
  const query = random.slips(0.06) ? made.query.slice(0, random.below(made.query.length + 1)) : made.query;
  return { ...made, query, ...(random.slips(0.1) ? { operationName: oddText(random) } : {}) };
}

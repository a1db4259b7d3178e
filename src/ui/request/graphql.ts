/** A request of the Content API as a GraphQL operation: an argument for each parameter, and the attributes that are shown. */
import { type Attribute, type ContentType, findComponent, hasDrafts, isLocalized } from "../model.ts";
import { type ContentRequest, isInResponses, MAX_DEPTH, relationTarget } from "./content-request.ts";

export interface GraphqlText {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Parts of the request without a GraphQL equivalent. */
  readonly missing: readonly string[];
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** As Strapi names its types: words begin at capitals and digits, too. */
export function pascalCase(name: string): string {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.map((word) => upperFirst(word.toLowerCase())).join("");
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const INDENT = "  ";

const block = (head: string, lines: readonly string[], indent: string): string[] => [
  `${indent}${head} {`,
  ...lines,
  `${indent}}`,
];

/** Fields that are selected separately, or missing in GraphQL. */
const UNSELECTED = new Set(["id", "documentId", "localizations"]);

const mediaFields = ["documentId", "name", "url", "alternativeText", "width", "height"];

interface Selection {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly names: readonly string[];
  readonly indent: string;
  readonly depth: number;
  /** The aliased field: members of a dynamic zone cannot select fields of different types under one name. */
  readonly createAlias?: (name: string) => string;
}

function attributeLines(name: string, attribute: Attribute, indent: string, depth: number): string[] {
  const inner = indent + INDENT;
  switch (attribute.type) {
    case "media":
      return block(
        name,
        mediaFields.map((field) => inner + field),
        indent,
      );
    case "relation": {
      const target = relationTarget(attribute);
      if (!target) return block(name, [`${inner}__typename`], indent);
      const { mainField, attributes } = target;
      const named = attributes[mainField];
      const main = mainField === "id" || !named || !isInResponses(named) ? [] : [inner + mainField];
      return block(name, [`${inner}documentId`, ...main], indent);
    }
    case "component": {
      const component = findComponent(String(attribute.component));
      if (!component || depth >= MAX_DEPTH) return [];
      const { attributes } = component;
      const lines = selectionLines({ attributes, names: Object.keys(attributes), indent: inner, depth: depth + 1 });
      return block(name, [`${inner}id`, ...lines], indent);
    }
    case "dynamiczone":
      return block(name, zoneLines(attribute.components as readonly string[], inner, depth), indent);
    default:
      return [indent + name];
  }
}

/** A fragment for each component; names that mean something else in another component get an alias. */
function zoneLines(uids: readonly string[], indent: string, depth: number): string[] {
  const kinds = new Map<string, Set<string>>();
  for (const uid of uids)
    for (const [name, attribute] of Object.entries(findComponent(uid)?.attributes ?? {}))
      kinds
        .getOrInsertComputed(name, () => new Set())
        .add(JSON.stringify([attribute.type, attribute.required, attribute]));
  const members = uids.flatMap((uid) => {
    const component = depth < MAX_DEPTH ? findComponent(uid) : undefined;
    if (!component) return [];
    const { attributes } = component;
    const type = pascalCase(`component ${uid}`);
    const createAlias = (name: string): string =>
      (kinds.get(name)?.size ?? 0) > 1 ? `${lowerFirst(type)}_${name}: ${name}` : name;
    const names = Object.keys(attributes);
    const lines = selectionLines({ attributes, names, indent: indent + INDENT, depth: depth + 1, createAlias });
    return block(`... on ${type}`, [`${indent}${INDENT}id`, ...lines], indent);
  });
  return [`${indent}__typename`, ...members];
}

function selectionLines({ attributes, names, indent, depth, createAlias = (name) => name }: Selection): string[] {
  return names.flatMap((name) => {
    const attribute = attributes[name];
    if (!attribute || !isInResponses(attribute) || UNSELECTED.has(name)) return [];
    return attributeLines(createAlias(name), attribute, indent, depth);
  });
}

/** Attributes whose values are strings in URLs and something else in variables. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  integer: Number,
  decimal: Number,
  float: Number,
  boolean: (text) => text === "true" || text === "1",
};
const BOOLEAN_OPERATORS = ["$null", "$notNull"];

/** Filters as GraphQL takes them: operators without their dollars, and values of their types. */
function graphqlFilters(
  value: unknown,
  attributes: Readonly<Record<string, Attribute>>,
  attribute?: Attribute,
): unknown {
  if (Array.isArray(value)) return value.map((item) => graphqlFilters(item, attributes, attribute));
  if (typeof value !== "object" || value === null) {
    const read = attribute && readers[attribute.type];
    return read && typeof value === "string" ? read(value) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (BOOLEAN_OPERATORS.includes(key)) return [key.slice(1), item === true || item === "true"];
      if (key.startsWith("$")) return [key.slice(1), graphqlFilters(item, attributes, attribute)];
      const own = attributes[key];
      const uid = own?.type === "component" ? String(own.component) : undefined;
      const innerAttributes =
        uid === undefined ? own && relationTarget(own)?.attributes : findComponent(uid)?.attributes;
      const isScalar = typeof item !== "object" || item === null;
      // in REST a value alone means $eq
      const condition = isScalar ? { $eq: item } : item;
      return [key, graphqlFilters(condition, innerAttributes ?? {}, own)];
    }),
  );
}

interface Argument {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

function listArguments({ type, documentId, params }: ContentRequest, typeName: string): Argument[] {
  const isList = type.kind === "collectionType" && documentId === undefined;
  const all: Argument[] = [
    { name: "documentId", type: "ID!", value: documentId },
    {
      name: "filters",
      type: `${typeName}FiltersInput`,
      value: params.filters && graphqlFilters(params.filters, type.attributes),
    },
    { name: "sort", type: "[String]", value: params.sort === undefined ? undefined : [params.sort] },
    { name: "pagination", type: "PaginationArg", value: isList ? params.pagination : undefined },
    { name: "status", type: "PublicationStatus", value: hasDrafts(type) && params.status ? "DRAFT" : undefined },
    { name: "locale", type: "I18NLocaleCode", value: isLocalized(type) ? params.locale : undefined },
  ];
  return all.filter(({ value }) => value !== undefined);
}

const toSingular = ({ info }: ContentType): string => pascalCase(info.singularName ?? "");

export function graphqlText(request: ContentRequest): GraphqlText {
  const { type, documentId, attributes, params } = request;
  const typeName = toSingular(type);
  const isList = type.kind === "collectionType" && documentId === undefined;
  const field = lowerFirst(isList ? pascalCase(type.info.pluralName ?? "") : typeName);
  const args = listArguments(request, typeName);
  const lines = selectionLines({ attributes: type.attributes, names: attributes, indent: INDENT.repeat(2), depth: 0 });
  const declared = args.map(({ name, type: of }) => `$${name}: ${of}`).join(", ");
  const passed = args.map(({ name }) => `${name}: $${name}`).join(", ");
  const head = `query ${upperFirst(field)}${declared === "" ? "" : `(${declared})`}`;
  const body = block(
    `${field}${passed === "" ? "" : `(${passed})`}`,
    [`${INDENT.repeat(2)}documentId`, ...lines],
    INDENT,
  );
  const missing = [
    ...(params._q === undefined ? [] : ["the search"]),
    ...(params.publicationFilter === undefined ? [] : ["the filter by status"]),
  ];
  return {
    query: [`${head} {`, ...body, "}", ""].join("\n"),
    variables: Object.fromEntries(args.map(({ name, value }) => [name, value])),
    missing,
  };
}

/** The URL of the playground with a query in it: in the fragment, which is not sent to the server. */
export function playgroundUrl(endpoint: string, { query, variables }: GraphqlText): string {
  const hasVariables = Object.keys(variables).length > 0;
  const parts = { query, ...(hasVariables ? { variables: JSON.stringify(variables, undefined, 2) } : {}) };
  return `${endpoint}#${new URLSearchParams(parts)}`;
}

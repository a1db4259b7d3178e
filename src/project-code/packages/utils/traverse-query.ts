/**
 * `traverse` of `@strapi/utils`: calls a visitor for every name in query parameters, which may replace its value or remove it.
 */
import { isRecord } from "../../../query/key-check.ts";
import { isOperator } from "../../../query/operators.ts";
import { type Attribute, type ContentType, contentTypes, isMedia, isRelational } from "./content-types.ts";
import { curried } from "./curried.ts";
import { nameNode, objectNode, pathNode, type QueryNode, wildcardNode } from "./query-nodes.ts";

interface Path {
  readonly raw: string | null;
  readonly attribute: string | null;
}

interface Parent {
  readonly key: string;
  readonly path: Path;
  readonly schema: ContentType | undefined;
  readonly attribute: Attribute | undefined;
}

export interface QueryOptions {
  readonly schema?: ContentType | undefined;
  readonly getModel: (uid: string) => ContentType | undefined;
  readonly path?: Path;
  readonly parent?: Parent | undefined;
}

/** The argument of a visitor. */
export interface Visited extends Parent {
  readonly value: unknown;
  readonly data: unknown;
  readonly getModel: QueryOptions["getModel"];
  readonly parent?: Parent | undefined;
}

export type QueryVisitor = (
  visited: Visited,
  tools: { readonly remove: (key: string) => void; readonly set: (key: string, value: unknown) => void },
) => unknown;

export type Walk = (visitor: QueryVisitor, options: QueryOptions, data: unknown) => Promise<unknown>;
type Descend = (visited: Visited, set: (value: unknown) => void) => Promise<void>;

const ROOT: Path = { raw: null, attribute: null };
const below = (path: string | null, key: string): string => (path === null ? key : `${path}.${key}`);
const isString = (value: unknown): value is string => typeof value === "string";
const isNil = (value: unknown): boolean => value === undefined || value === null;
const isNonEmpty = (value: unknown): boolean => !isNil(value) && Object.keys(value as object).length > 0;

/** Visits each key of a node, and then its value as the visitor left it. */
async function visitNode(visitor: QueryVisitor, options: QueryOptions, node: QueryNode, descend: Descend) {
  const { path = ROOT, schema, getModel, parent } = options;
  const set = (key: string, value: unknown): void => node.set(key, value);
  for (const key of node.keys()) {
    const attribute = schema?.attributes?.[key];
    const own = { raw: below(path.raw, key), attribute: attribute ? below(path.attribute, key) : path.attribute };
    const visited = (): Visited => {
      const value = node.get(key);
      return { key, value, attribute, schema, path: own, data: node.data(), getModel, parent };
    };
    await visitor(visited(), { remove: (name) => node.remove(name), set });
    await descend(visited(), (value) => set(key, value));
  }
  return node.data();
}

/** The schema behind a relation, media or component; undefined for polymorphic ones, whose values name it. */
function targetOf(attribute: Attribute | undefined, getModel: QueryOptions["getModel"]): ContentType | undefined {
  if (!attribute) return undefined;
  if (isMedia(attribute, "")) return getModel("plugin::upload.file");
  const isMorph = String(attribute.relation).toLowerCase().startsWith("morph");
  if (isRelational(attribute, "")) return isMorph ? undefined : getModel(String(attribute.target));
  return attribute.type === "component" ? getModel(String(attribute.component)) : undefined;
}

const childOptions = ({ key, path, schema, attribute, getModel }: Visited, target = schema): QueryOptions => ({
  schema: target,
  path,
  getModel,
  parent: { key, path, schema, attribute },
});

/** Whether an object contains conditions, instead of being a JSON value to compare with. */
const isCondition = (value: object, schema: ContentType | undefined): boolean =>
  Object.keys(value).some((name) => isOperator(name) || schema?.attributes?.[name]);

const filters: Walk = async (visitor, options, data) => {
  if (Array.isArray(data)) {
    const items = data.map((item, index) => {
      const { path } = options;
      return filters(visitor, path ? { ...options, path: { ...path, raw: `${path.raw}[${index}]` } } : options, item);
    });
    return (await Promise.all(items)).filter((item) => !isRecord(item) || isNonEmpty(item));
  }
  if (!isRecord(data)) return data;
  return visitNode(visitor, options, objectNode(data), async (visited, set) => {
    const { key, value, attribute, schema, getModel } = visited;
    if (isNil(value)) return;
    const target = targetOf(attribute, getModel);
    const isOperand = isRecord(value) && isOperator(key) && key !== "$not" && !attribute && !isCondition(value, schema);
    const isDescended = attribute ? contentTypes.isScalarAttribute(attribute, key) && isRecord(value) : !isOperand;
    if (target || isDescended) set(await filters(visitor, childOptions(visited, target), value));
  });
};

const sort: Walk = async (visitor, options, data) => {
  const visitItems = async (items: readonly unknown[]) =>
    (await Promise.all(items.map((item) => sort(visitor, options, item)))).filter(isNonEmpty);
  if (Array.isArray(data)) return data.every(isString) || data.every(isRecord) ? visitItems(data) : data;
  if (isString(data) && data.includes(","))
    return (await visitItems(data.split(",").map((item) => item.trim()))).join(",");
  if (!isString(data) && !isRecord(data)) return data;
  return visitNode(visitor, options, isString(data) ? pathNode(data) : objectNode(data), async (visited, set) => {
    const target = targetOf(visited.attribute, visited.getModel);
    if (target) set(await sort(visitor, childOptions(visited, target), visited.value));
  });
};

const fields: Walk = async (visitor, options, data) => {
  const visitItems = (items: readonly string[]) => Promise.all(items.map((item) => fields(visitor, options, item)));
  if (Array.isArray(data)) return data.every(isString) ? visitItems(data) : data;
  if (!isString(data) || data === "*") return data;
  if (data.includes(",")) return visitItems(data.split(","));
  return visitNode(visitor, options, nameNode(data), async () => {});
};

/** `["a.b"]` is `{ a: { populate: { b: true } } }`. */
function treeOf(paths: readonly string[]): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const path of paths) {
    let level = tree;
    const names = path.split(".");
    for (const [index, name] of names.entries()) {
      if (index === names.length - 1) level[name] = true;
      else {
        const found = level[name];
        const own = isRecord(found) ? found : { populate: {} };
        level[name] = own;
        level = own.populate as Record<string, unknown>;
      }
    }
  }
  return tree;
}

/** The reverse of `treeOf`; undefined for a tree with other parameters. */
function pathsOf(tree: unknown, prefix = ""): string[] | undefined {
  const paths: string[] = [];
  for (const [name, value] of Object.entries(Object(tree))) {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const inner = isRecord(value) ? value.populate : undefined;
    const nested = value === true ? [path] : isRecord(inner) ? pathsOf(inner, path) : undefined;
    if (!nested) return undefined;
    paths.push(...nested);
  }
  return paths;
}

const QUERY_KEYS = new Set(["sort", "filters", "fields"]);

const populate: Walk = async (visitor, options, data) => {
  if (data === "*") return visitNode(visitor, options, wildcardNode(data), async () => {});
  if (isString(data) || (Array.isArray(data) && data.every(isString))) {
    const walked = await populate(visitor, options, treeOf([data].flat() as string[]));
    const paths = pathsOf(walked);
    return isString(data) && paths ? paths[0] : (paths ?? walked);
  }
  if (!isRecord(data)) return data;
  return visitNode(visitor, options, objectNode(data), async (visited, set) => {
    const { key, value, attribute, schema, path, getModel, parent } = visited;
    // the visitor handles the other parameters
    if (QUERY_KEYS.has(key) && (!attribute || parent?.attribute)) return;
    if (key === "populate" && !attribute) set(await populate(visitor, childOptions(visited), value));
    else if (key === "on" && !attribute) {
      if (!isRecord(value)) return;
      const fragments: Record<string, unknown> = {};
      for (const [uid, inner] of Object.entries(value)) {
        const own = { schema: getModel(uid), path: { ...path, raw: `${path.raw}[${uid}]` }, getModel, parent };
        fragments[uid] = await populate(visitor, own, inner);
      }
      set(fragments);
    } else if (attribute && !isNil(value)) {
      const target = targetOf(attribute, getModel);
      if (target) set(await populate(visitor, childOptions(visited, target), value));
      else if (isRecord(value) && isRecord(value.on)) {
        const walked = await populate(visitor, childOptions(visited, schema), { on: value.on });
        set(attribute.type === "dynamiczone" ? walked : { ...value, ...Object(walked) });
      }
    }
  });
};

export const traverseQueryFilters = curried(filters);
export const traverseQuerySort = curried(sort);
export const traverseQueryPopulate = curried(populate);
export const traverseQueryFields = curried(fields);

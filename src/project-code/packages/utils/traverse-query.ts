/**
 * `traverse` of `@strapi/utils`: shows every name in the parameters of a query to a visitor, which may replace its value or
 * remove it.
 */
import { isRecord } from "../../../query/key-check.ts";
import { isOperator } from "../../../query/operators.ts";
import { type Attribute, type ContentType, contentTypes, isMedia, isRelational } from "./content-types.ts";
import { curried } from "./curried.ts";
import { type Members, ofObject, ofPath, ofText, ofWildcard } from "./members.ts";

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

/** What a visitor is shown. */
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
type Enter = (visited: Visited, set: (value: unknown) => void) => Promise<void>;

const ROOT: Path = { raw: null, attribute: null };
const below = (path: string | null, key: string): string => (path === null ? key : `${path}.${key}`);
const isString = (value: unknown): value is string => typeof value === "string";
const isNothing = (value: unknown): boolean => value === undefined || value === null;
const isLeft = (value: unknown): boolean => !isNothing(value) && Object.keys(value as object).length > 0;

/** Visits each member, and enters what it holds unless that was removed. */
async function visitMembers(visitor: QueryVisitor, options: QueryOptions, members: Members, enter: Enter) {
  const { path = ROOT, schema, getModel, parent } = options;
  const set = (key: string, value: unknown): void => members.set(key, value);
  for (const key of members.keys()) {
    const attribute = schema?.attributes?.[key];
    const own = { raw: below(path.raw, key), attribute: attribute ? below(path.attribute, key) : path.attribute };
    const visited = (): Visited => {
      const value = members.get(key);
      return { key, value, attribute, schema, path: own, data: members.data(), getModel, parent };
    };
    await visitor(visited(), { remove: (name) => members.remove(name), set });
    await enter(visited(), (value) => set(key, value));
  }
  return members.data();
}

/** The schema of what a relation, media or component holds; undefined where each value names its own. */
function targetOf(attribute: Attribute | undefined, getModel: QueryOptions["getModel"]): ContentType | undefined {
  if (!attribute) return undefined;
  if (isMedia(attribute, "")) return getModel("plugin::upload.file");
  const isMorph = String(attribute.relation).toLowerCase().startsWith("morph");
  if (isRelational(attribute, "")) return isMorph ? undefined : getModel(String(attribute.target));
  return attribute.type === "component" ? getModel(String(attribute.component)) : undefined;
}

const inside = ({ key, path, schema, attribute, getModel }: Visited, target = schema): QueryOptions => ({
  schema: target,
  path,
  getModel,
  parent: { key, path, schema, attribute },
});

/** Objects that are no values to compare with: they hold operators or names. */
const isCondition = (value: object, schema: ContentType | undefined): boolean =>
  Object.keys(value).some((name) => isOperator(name) || schema?.attributes?.[name]);

const filters: Walk = async (visitor, options, data) => {
  if (Array.isArray(data)) {
    const items = data.map((item, at) => {
      const { path } = options;
      return filters(visitor, path ? { ...options, path: { ...path, raw: `${path.raw}[${at}]` } } : options, item);
    });
    return (await Promise.all(items)).filter((item) => !isRecord(item) || isLeft(item));
  }
  if (!isRecord(data)) return data;
  return visitMembers(visitor, options, ofObject(data), async (visited, set) => {
    const { key, value, attribute, schema, getModel } = visited;
    if (isNothing(value)) return;
    const target = targetOf(attribute, getModel);
    const isOperand = isRecord(value) && isOperator(key) && key !== "$not" && !attribute && !isCondition(value, schema);
    const isEntered = attribute ? contentTypes.isScalarAttribute(attribute, key) && isRecord(value) : !isOperand;
    if (target || isEntered) set(await filters(visitor, inside(visited, target), value));
  });
};

const sort: Walk = async (visitor, options, data) => {
  const each = async (items: readonly unknown[]) =>
    (await Promise.all(items.map((item) => sort(visitor, options, item)))).filter(isLeft);
  if (Array.isArray(data)) return data.every(isString) || data.every(isRecord) ? each(data) : data;
  if (isString(data) && data.includes(",")) return (await each(data.split(",").map((item) => item.trim()))).join(",");
  if (!isString(data) && !isRecord(data)) return data;
  return visitMembers(visitor, options, isString(data) ? ofPath(data) : ofObject(data), async (visited, set) => {
    const target = targetOf(visited.attribute, visited.getModel);
    if (target) set(await sort(visitor, inside(visited, target), visited.value));
  });
};

const fields: Walk = async (visitor, options, data) => {
  const each = (items: readonly string[]) => Promise.all(items.map((item) => fields(visitor, options, item)));
  if (Array.isArray(data)) return data.every(isString) ? each(data) : data;
  if (!isString(data) || data === "*") return data;
  if (data.includes(",")) return each(data.split(","));
  return visitMembers(visitor, options, ofText(data), async () => {});
};

/** `["a.b"]` is `{ a: { populate: { b: true } } }`. */
function treeOf(paths: readonly string[]): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const path of paths) {
    let level = tree;
    const names = path.split(".");
    for (const [at, name] of names.entries()) {
      if (at === names.length - 1) level[name] = true;
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

/** The reverse; undefined for a tree that has more than names. */
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
  if (data === "*") return visitMembers(visitor, options, ofWildcard(data), async () => {});
  if (isString(data) || (Array.isArray(data) && data.every(isString))) {
    const walked = await populate(visitor, options, treeOf([data].flat() as string[]));
    const paths = pathsOf(walked);
    return isString(data) && paths ? paths[0] : (paths ?? walked);
  }
  if (!isRecord(data)) return data;
  return visitMembers(visitor, options, ofObject(data), async (visited, set) => {
    const { key, value, attribute, schema, path, getModel, parent } = visited;
    // what is no populate is the visitor's
    if (QUERY_KEYS.has(key) && (!attribute || parent?.attribute)) return;
    if (key === "populate" && !attribute) set(await populate(visitor, inside(visited), value));
    else if (key === "on" && !attribute) {
      if (!isRecord(value)) return;
      const fragments: Record<string, unknown> = {};
      for (const [uid, inner] of Object.entries(value)) {
        const own = { schema: getModel(uid), path: { ...path, raw: `${path.raw}[${uid}]` }, getModel, parent };
        fragments[uid] = await populate(visitor, own, inner);
      }
      set(fragments);
    } else if (attribute && !isNothing(value)) {
      const target = targetOf(attribute, getModel);
      if (target) set(await populate(visitor, inside(visited, target), value));
      else if (isRecord(value) && isRecord(value.on)) {
        const walked = await populate(visitor, inside(visited, schema), { on: value.on });
        set(attribute.type === "dynamiczone" ? walked : { ...value, ...Object(walked) });
      }
    }
  });
};

export const traverseQueryFilters = curried(filters);
export const traverseQuerySort = curried(sort);
export const traverseQueryPopulate = curried(populate);
export const traverseQueryFields = curried(fields);

/** `traverseEntity` of `@strapi/utils`: calls a visitor for every value of an entry, which may replace or remove it. */
import { isRecord } from "../../../query/key-check.ts";
import { type Attribute, type ContentType, isMedia, isRelational } from "./content-types.ts";

interface Path {
  readonly raw: string | null;
  readonly attribute: string | null;
  readonly rawWithIndices: string | null;
}

interface Parent {
  readonly schema: ContentType;
  readonly key: string;
  readonly attribute: Attribute;
  readonly path: Path;
}

interface TraverseOptions {
  readonly schema: ContentType;
  readonly getModel: (uid: string) => ContentType | undefined;
  readonly path?: Path;
  readonly parent?: Parent | undefined;
  readonly allowedExtraRootKeys?: readonly string[];
}

type Visitor = (
  visited: TraverseOptions & {
    readonly data: Record<string, unknown>;
    readonly key: string;
    readonly value: unknown;
    readonly attribute: Attribute | undefined;
  },
  tools: { readonly remove: (key: string) => void; readonly set: (key: string, value: unknown) => void },
) => unknown;

const ROOT: Path = { raw: null, attribute: null, rawWithIndices: null };
const below = (path: string | null, key: string | number): string => (path === null ? String(key) : `${path}.${key}`);

/** The uid of a value's schema. Values of dynamic zones and polymorphic relations contain it. */
function targetOf(attribute: Attribute, value: Readonly<Record<string, unknown>>): unknown {
  if (isMedia(attribute, "")) return "plugin::upload.file";
  if (isRelational(attribute, "")) {
    return String(attribute.relation).toLowerCase().startsWith("morph") ? value.__type : attribute.target;
  }
  if (attribute.type === "dynamiczone") return value.__component;
  return attribute.type === "component" ? attribute.component : undefined;
}

async function traverse(visitor: Visitor, options: TraverseOptions, entity: unknown): Promise<unknown> {
  const { path = ROOT, schema, getModel } = options;
  if (!isRecord(entity) || !schema) return entity;
  const copy: Record<string, unknown> = { ...entity };
  const tools = {
    remove: (key: string) => void delete copy[key],
    set: (key: string, value: unknown) => {
      copy[key] = value;
    },
  };
  for (const key of Object.keys(copy)) {
    const attribute = schema.attributes?.[key];
    const ownPath: Path = {
      raw: below(path.raw, key),
      rawWithIndices: below(path.rawWithIndices, key),
      attribute: attribute ? below(path.attribute, key) : path.attribute,
    };
    await visitor({ ...options, data: copy, key, value: copy[key], attribute, path: ownPath }, tools);
    const value = copy[key];
    if (value === undefined || value === null || !attribute) continue;
    const traverseInside = (inner: unknown, innerPath: Path): unknown => {
      if (!isRecord(inner)) return inner;
      const target = targetOf(attribute, inner);
      const found = typeof target === "string" ? getModel(target) : undefined;
      if (!found) return inner;
      return traverse(
        visitor,
        { ...options, schema: found, path: innerPath, parent: { schema, key, attribute, path: ownPath } },
        inner,
      );
    };
    const itemPath = (index: number): Path => ({ ...ownPath, rawWithIndices: below(ownPath.rawWithIndices, index) });
    copy[key] = await (Array.isArray(value)
      ? Promise.all(value.map((item, index) => traverseInside(item, itemPath(index))))
      : traverseInside(value, ownPath));
  }
  return copy;
}

type Curried = (options: TraverseOptions, entity?: unknown) => unknown;

/** Curried. */
export function traverseEntity(visitor: Visitor, ...rest: readonly [options?: TraverseOptions, entity?: unknown]) {
  const withOptions: Curried = (options, ...entity) =>
    entity.length > 0 ? traverse(visitor, options, entity[0]) : (later: unknown) => traverse(visitor, options, later);
  const [options, ...entity] = rest;
  return options ? withOptions(options, ...entity) : withOptions;
}

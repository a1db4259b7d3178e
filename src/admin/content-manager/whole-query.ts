/**
 * The query for documents in responses of the content manager: all attributes except passwords, including private ones; components and
 * zones in full; relations as counts. Created once per type, so that its statements are prepared once.
 */

import { emptyQuery, type Populate, type Query } from "../../engine/query/tree.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import {
  type Attribute,
  type Component,
  component,
  contentType,
  findType,
  type Model,
  type PopulatableAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { creatorQuery } from "../administrator.ts";
import { hiddenAttributes } from "./hidden.ts";

/**
 * `document`: to-one relations are counted too, and components are read to any depth. `written`: the same, with the data for validating other
 * locales. `single`: relations are read instead of counted. `list`: one level.
 */
export type View = "document" | "written" | "single" | "list";

/** Components may contain themselves; Strapi's deepest entry is not this deep. */
const MAX_LEVEL = 20;

const listFields = perSchema((schema): readonly ScalarAttribute[] => {
  const hidden = schema.modelType === "contentType" ? hiddenAttributes(schema) : NONE;
  return [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === "scalar" && !attribute.type.isSecret && !hidden.has(attribute.name),
  );
});

const NONE: ReadonlySet<string> = new Set();

/** Every scalar attribute except passwords. */
export const wholeRow = (schema: Schema): Query => ({ ...emptyQuery(schema), fields: listFields(schema) });

const viewQuery = (view: View) => perSchema((schema, model) => buildQuery(model, view, schema, 1));
const views: Record<View, (schema: Schema, model: Model) => Query> = {
  document: viewQuery("document"),
  written: viewQuery("written"),
  single: viewQuery("single"),
  list: viewQuery("list"),
};

export const wholeQuery = (model: Model, schema: Schema, view: View): Query => views[view](schema, model);

/**
 * Relations named by `populate` are read instead of counted: all of them for `*`, or the keys of an object. As in Strapi, those to
 * several types are not.
 */
export function populateNamed(query: Query, populate: unknown): Query {
  const names = isRecord(populate) ? new Set(Object.keys(populate)) : undefined;
  if (populate !== "*" && !names) return query;
  const isRead = ({ key, attribute }: Populate): boolean =>
    (!names || names.has(key)) && !(attribute.kind === "relation" && attribute.link.polymorphic);
  return { ...query, populate: query.populate.map((item) => (isRead(item) ? { ...item, count: false } : item)) };
}

/** Whether an attribute is visible by its schema. */
export const isShown = ({ definition, system }: Attribute): boolean => !system && definition.visible !== false;

function buildQuery(model: Model, view: View, schema: Schema, level: number): Query {
  const isTooDeep = level > MAX_LEVEL || (view === "list" && level > 1);
  const build = (inner: Schema): Query => buildQuery(model, view, inner, level + 1);
  const populate = (attribute: PopulatableAttribute): Populate | undefined => {
    const item = { key: attribute.name, attribute, count: false, on: undefined };
    switch (attribute.kind) {
      case "component":
        return { ...item, query: build(component(model, attribute.component)) };
      case "zone":
        return { ...item, query: undefined, on: zoneQueries(model, attribute, build) };
      case "media":
        return { ...item, query: fileQuery(model) };
      case "relation":
        return populateRelation(model, view, schema, attribute);
    }
  };
  const attributes = isTooDeep ? [] : [...schema.attributes.values()];
  return {
    ...wholeRow(schema),
    populate: attributes.flatMap((attribute) => (attribute.kind === "scalar" ? [] : (populate(attribute) ?? []))),
  };
}

/** The queries of a zone's components, by uid; those without one are left out. */
export const zoneQueries = (
  model: Model,
  { components }: ZoneAttribute,
  build: (part: Component) => Query | undefined,
): Map<string, Query> =>
  new Map(
    components.flatMap((uid) => {
      const part = model.components.get(uid);
      const query = part && build(part);
      return query ? [[uid, query] as const] : [];
    }),
  );

function fileQuery(model: Model): Query {
  const file = contentType(model, FILE);
  const folder = file.attributes.get("folder");
  const target = folder?.kind === "relation" && folder.target ? model.types.get(folder.target) : undefined;
  const populate =
    target && folder?.kind === "relation"
      ? [{ key: "folder", attribute: folder, query: wholeRow(target), count: false, on: undefined }]
      : [];
  return { ...wholeRow(file), populate };
}

function populateRelation(
  model: Model,
  view: View,
  schema: Schema,
  attribute: RelationAttribute,
): Populate | undefined {
  const { virtual, target } = attribute;
  const item = { key: attribute.name, attribute, count: false, on: undefined };
  if (virtual === "localizations") {
    if (schema.modelType !== "contentType" || !schema.localized) return undefined;
    const fields = listFields(schema).filter(({ name }) => ["locale", "publishedAt", "updatedAt"].includes(name));
    const isShort = view === "document" || view === "list";
    return { ...item, query: isShort ? { ...emptyQuery(schema), fields } : validatedQuery(model, schema) };
  }
  if (virtual === "creator" && attribute.column !== undefined) return { ...item, query: creatorQuery(model) };
  if (virtual) return undefined;
  const on = target === undefined ? new Map([...model.types].map(([uid, type]) => [uid, wholeRow(type)])) : undefined;
  const found = target === undefined ? undefined : findType(model, target);
  const query = found === model.creator ? creatorQuery(model) : found && wholeRow(found);
  return { ...item, query, count: isShown(attribute) && isCounted(view, attribute), on };
}

/** Polymorphic relations are to one by Strapi's rule, and their other sides are never counted. */
function isCounted(view: View, { many, link: { polymorphic, side } }: RelationAttribute): boolean {
  if (view === "single" || (polymorphic && side === "inverse")) return false;
  return view !== "list" || (many && !polymorphic);
}

const RULES = ["max", "min", "maxLength", "minLength"];

const isValidated = ({ definition, private: isPrivate }: Attribute): boolean =>
  !isPrivate &&
  (definition.required === true || definition.unique === true || RULES.some((rule) => Object.hasOwn(definition, rule)));

/** The data for validating another locale: its row, and the attributes of components that have rules. */
export const validatedQuery = (model: Model, schema: Schema): Query => ({
  ...emptyQuery(schema),
  ...validatedPart(model, schema, 1),
  fields: listFields(schema),
});

/** Undefined where nothing has rules. */
function validatedPart(model: Model, schema: Schema, level: number): Query | undefined {
  const fields = listFields(schema).filter(isValidated);
  const populate = [...schema.attributes.values()].flatMap((attribute): Populate[] => {
    const item = { key: attribute.name, count: false, on: undefined, query: undefined };
    if (level > MAX_LEVEL) return [];
    if (attribute.kind === "component") {
      const query = validatedPart(model, component(model, attribute.component), level + 1);
      return query ? [{ ...item, attribute, query }] : [];
    }
    if (attribute.kind === "media" && isValidated(attribute))
      return [{ ...item, attribute, query: wholeRow(contentType(model, FILE)) }];
    if (attribute.kind !== "zone") return [];
    const on = zoneQueries(model, attribute, (part) => validatedPart(model, part, level + 1));
    return on.size > 0 ? [{ ...item, attribute, on }] : [];
  });
  if (fields.length === 0 && populate.length === 0) return undefined;
  return { ...emptyQuery(schema), fields: fields.length > 0 ? fields : listFields(schema), populate };
}

/** Caches a value per schema. */
function perSchema<T>(make: (schema: Schema, model: Model) => T): (schema: Schema, model?: Model) => T {
  const cache = new WeakMap<Schema, T>();
  return (schema, model) => {
    const found = cache.get(schema) ?? make(schema, model!);
    cache.set(schema, found);
    return found;
  };
}

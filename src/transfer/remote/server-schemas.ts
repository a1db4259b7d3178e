/** The schemas of a server that receives content. What they lack is removed from rows and links, since Strapi drops it silently or fails. */
import { FILE } from "../../engine/schema/builtin/index.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../../engine/schema/entries.ts";
import type { Model, Schema } from "../../engine/schema/model.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type ArchiveSchema, type Entity, isSchema, type Json, type LinkRow } from "../archive/shapes.ts";
import { KEYS_WITHOUT_ATTRIBUTE } from "../import/entities.ts";
import type { LeftOut } from "../left-out.ts";

/** Types of attributes that are not values of a row. */
const NOT_SCALAR: ReadonlySet<unknown> = new Set(["component", "dynamiczone", "relation", "media"]);

/** By uid. Throws a ProjectError with the server's name. */
export function parseServerSchemas(server: string, data: unknown): ReadonlyMap<string, ArchiveSchema> {
  const schemas = isRecord(data) ? Object.values(data).filter(isSchema) : [];
  if (schemas.length === 0) throw new ProjectError(server, undefined, "sent no schemas");
  return new Map(schemas.map((schema) => [schema.uid, schema]));
}

export function createServerSchemas(schemas: ReadonlyMap<string, ArchiveSchema>, model: Model, leftOut: LeftOut) {
  function* entities(rows: Iterable<Entity>): Generator<Entity> {
    for (const { type, id, data } of rows) {
      const schema = model.types.get(type)!;
      if (schemas.has(type)) yield { type, id, data: knownData(schema, data) };
      else leftOut.add("rows", type);
    }
  }

  function* links(rows: Iterable<LinkRow>): Generator<LinkRow> {
    for (const row of rows) {
      const { left, right } = row;
      const isMedia = row.kind === "relation.morph" && left.type === FILE;
      const owner = isMedia ? right : left;
      const attribute = schemas.get(owner.type)?.attributes[owner.field ?? ""];
      const isKnown = isMedia
        ? attribute?.type === "media"
        : attribute?.type === "relation" &&
          schemas.has(right.type) &&
          (attribute.target === undefined || attribute.target === right.type);
      if (isKnown) yield row;
      else leftOut.add("links", `${owner.type}.${owner.field}`);
    }
  }

  function knownData(schema: Schema, data: Json): Json {
    const theirs = schemas.get(schema.uid)!;
    const entries = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
      const own = schema.attributes.get(name);
      if (!own || own.system || KEYS_WITHOUT_ATTRIBUTE.has(name)) return [[name, value]];
      const attribute = Object.hasOwn(theirs.attributes, name) ? theirs.attributes[name]! : undefined;
      const isKnown = holdsComponents(own)
        ? attribute?.type === strapiTypes[own.kind]
        : attribute && !NOT_SCALAR.has(attribute.type);
      if (isKnown)
        return [
          [name, holdsComponents(own) && value !== null ? knownComponents(schema, own, attribute!, value) : value],
        ];
      const isEmpty = value === null || (holdsComponents(own) && Array.isArray(value) && value.length === 0);
      if (!isEmpty) leftOut.add("values", `${schema.uid}.${name}`);
      return [];
    });
    return Object.fromEntries(entries);
  }

  function knownComponents({ uid }: Schema, own: ComponentOrZoneAttribute, attribute: Json, value: unknown): unknown {
    const accepted: readonly unknown[] =
      own.kind === "component" ? [attribute.component] : asList(attribute.components);
    const isList = own.kind === "zone" || attribute.repeatable === true;
    const components: Json[] = [];
    for (const component of [value].flat() as Json[]) {
      const name = own.kind === "component" ? own.component : (component.__component as string);
      const schema = accepted.includes(name) && schemas.has(name) ? model.components.get(name) : undefined;
      // a component that is not repeatable there takes the first one
      if (schema && (isList || components.length === 0)) components.push(knownData(schema, component));
      else leftOut.add("components", `${uid}.${own.name}: ${name}`);
    }
    return isList ? components : (components[0] ?? null);
  }

  return { entities, links };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const strapiTypes = { component: "component", zone: "dynamiczone" } as const;

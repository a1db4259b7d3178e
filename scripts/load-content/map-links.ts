/** Walks a document by the schema and puts in what stands for its media and relations. */
import { isRecord, type Json } from "./api.ts";
import { LoadError } from "./load-error.ts";
import type { Attributes, Schema } from "./schema.ts";

/** What is written in the place of a link; `path` says where it is, for errors. */
export interface Links {
  media(name: string, path: string): unknown;
  /** A media attribute that is null. */
  noMedia(attribute: string): unknown;
  /** `position` counts from 1 in the list of the target's documents. */
  relation(target: string, position: number, path: string): unknown;
}

interface Place {
  readonly name: string;
  readonly path: string;
}

type Mapping = (value: unknown, attribute: Json, place: Place, walk: Walk) => Promise<unknown>;

/** One after the other, so that documents are made in the order of the data. */
async function mapEach(
  value: unknown,
  path: string,
  map: (item: unknown, path: string) => Promise<unknown>,
): Promise<unknown[]> {
  if (!Array.isArray(value)) throw new LoadError(`${path} must be a list`);
  const mapped: unknown[] = [];
  for (const [index, item] of value.entries()) mapped.push(await map(item, `${path}[${index}]`));
  return mapped;
}

/** Types of attributes that hold links; what other types hold is written as it is. */
const mappings: Readonly<Record<string, Mapping>> = {
  media: async (value, { multiple }, { name, path }, { links }) => {
    if (value === null) return multiple ? null : links.noMedia(name);
    const one = async (item: unknown, at: string): Promise<unknown> => {
      if (typeof item !== "string") throw new LoadError(`${at} must be the name of a file in uploads`);
      return links.media(item, at);
    };
    return multiple ? mapEach(value, path, one) : one(value, path);
  },
  relation: async (value, { relation, target }, { path }, { links }) => {
    if (value === null) return null;
    const one = async (item: unknown, at: string): Promise<unknown> => {
      const position = isRecord(item) ? item.id : undefined;
      if (typeof position !== "number") throw new LoadError(`${at} must be { "id": <position in the target's list> }`);
      return links.relation(String(target), position, at);
    };
    return /Many$/.test(String(relation)) ? mapEach(value, path, one) : one(value, path);
  },
  component: async (value, { component, repeatable }, { path }, walk) => {
    if (value === null) return null;
    const one = (item: unknown, at: string): Promise<Json> => walk.component(item, component, at);
    return repeatable ? mapEach(value, path, one) : one(value, path);
  },
  dynamiczone: (value, _, { path }, walk) =>
    mapEach(value, path, (item, at) => walk.component(item, isRecord(item) ? item.__component : undefined, at)),
};

class Walk {
  readonly links: Links;
  readonly #schema: Schema;

  constructor(schema: Schema, links: Links) {
    this.links = links;
    this.#schema = schema;
  }

  async component(item: unknown, uid: unknown, path: string): Promise<Json> {
    const attributes = this.#schema.components.get(String(uid));
    if (!attributes) throw new LoadError(`${path}.__component must name a component, not ${JSON.stringify(uid)}`);
    return this.level(item, attributes, path);
  }

  /** Keys that are no attributes stay: the server says what is wrong with them. */
  async level(data: unknown, attributes: Attributes, path: string): Promise<Json> {
    if (!isRecord(data)) throw new LoadError(`${path} must be an object`);
    const mapped: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(data)) {
      const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      const mapping = attribute && mappings[String(attribute.type)];
      mapped[name] = mapping ? await mapping(value, attribute, { name, path: `${path}.${name}` }, this) : value;
    }
    return mapped;
  }
}

/** Throws a LoadError for the first value that is no link, and what `links` throws. */
export const mapLinks = (
  schema: Schema,
  attributes: Attributes,
  data: unknown,
  path: string,
  links: Links,
): Promise<Json> => new Walk(schema, links).level(data, attributes, path);

/** Maps an entry's data by its schema: relations and media are passed to a visitor, unknown keys are refused. */
import type { Data } from "../../engine/documents/rows.ts";
import {
  type Attribute,
  component,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type Schema,
  type ZoneAttribute,
} from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

export type LinkAttribute = RelationAttribute | MediaAttribute;

/** Returns the values that replace the names. For a single value, an empty list omits it. */
export type LinkVisitor = (attribute: LinkAttribute, names: readonly string[], path: string) => readonly unknown[];

/** An invalid value, with its path in the entry. */
export class DataProblem extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

const examples = {
  relation: `an entry by its name, as in "authors/ada"`,
  media: `a file below content/media by its name, as in "cover.jpg"`,
};

class DataMapper {
  readonly #model: Model;
  readonly #visit: LinkVisitor;

  constructor(model: Model, visit: LinkVisitor) {
    this.#model = model;
    this.#visit = visit;
  }

  mapLevel(schema: Schema, data: unknown, path: string, allowedKey?: string): Data {
    if (!isRecord(data)) throw new DataProblem(path, "must be an object");
    const out: Data = {};
    for (const [key, value] of Object.entries(data)) {
      const keyPath = `${path}.${key}`;
      const attribute = schema.attributes.get(key);
      if (key === allowedKey) out[key] = value;
      else if (!attribute) throw new DataProblem(keyPath, `${schema.uid} has no such attribute`);
      else if (attribute.system || !attribute.writable) throw new DataProblem(keyPath, "cannot be written");
      else {
        const mapped = value === null ? null : this.#mapValue(attribute, value, keyPath);
        if (mapped !== undefined) out[key] = mapped;
      }
    }
    return out;
  }

  #mapValue(attribute: Attribute, value: unknown, path: string): unknown {
    if (attribute.kind === "scalar") return value;
    if (attribute.kind === "relation" || attribute.kind === "media") return this.#mapLinks(attribute, value, path);
    if (!attribute.many) return this.#mapPart(attribute, value, path);
    if (!Array.isArray(value)) throw new DataProblem(path, "must be a list");
    return value.map((item, index) => this.#mapPart(attribute, item, `${path}[${index}]`));
  }

  #mapPart(attribute: Attribute & { kind: "component" | "zone" }, item: unknown, path: string): Data {
    if (attribute.kind === "component") return this.mapLevel(component(this.#model, attribute.component), item, path);
    const schema = this.#zoneSchema(attribute, isRecord(item) ? item.__component : undefined, path);
    return this.mapLevel(schema, item, path, "__component");
  }

  #zoneSchema({ components }: ZoneAttribute, uid: unknown, path: string): Schema {
    if (typeof uid === "string" && components.includes(uid)) return component(this.#model, uid);
    throw new DataProblem(`${path}.__component`, `must be one of ${components.join(", ")}`);
  }

  #mapLinks(attribute: LinkAttribute, value: unknown, path: string): unknown {
    const names = attribute.many ? value : [value];
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
      const example = examples[attribute.kind];
      throw new DataProblem(path, attribute.many ? `must be a list; each item is ${example}` : `must be ${example}`);
    }
    const targets = this.#visit(attribute, names, path);
    return attribute.many ? targets : targets[0];
  }
}

/** Returns the data with names replaced by the values that `visit` returns. Throws a DataProblem for the first invalid key or value. */
export const mapLinks = (model: Model, schema: Schema, data: Data, path: string, visit: LinkVisitor): Data =>
  new DataMapper(model, visit).mapLevel(schema, data, path);

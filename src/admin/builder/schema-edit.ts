/**
 * Edits of a project's schema by the content-type builder, on definitions in memory: nothing is written here. A relation
 * with a `targetAttribute` has its other side in the target, which is updated with each change.
 */
import type { AttributeDefinition } from "../../engine/attributes/index.ts";
import type {
  ComponentDefinition,
  ContentTypeDefinition,
  RawComponent,
  RawContentType,
  RawSchema,
} from "../../engine/schema/definition.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { toRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import type { JsonObject } from "../call.ts";

type Definition = ContentTypeDefinition | ComponentDefinition;
type Attributes = Readonly<Record<string, AttributeDefinition>>;
/** The new content of a file; undefined: it is removed. */
export interface FileChange {
  readonly file: string;
  readonly definition: Definition | undefined;
}

/** Of relations that have another side: its kind. */
export const OTHER_KIND: Readonly<Record<string, string>> = {
  oneToOne: "oneToOne",
  oneToMany: "manyToOne",
  manyToOne: "oneToMany",
  manyToMany: "manyToMany",
};

const findOtherSide = (attribute: AttributeDefinition | undefined): string | undefined => {
  const name = attribute?.type === "relation" ? (attribute.inversedBy ?? attribute.mappedBy) : undefined;
  return stringOrNone(name);
};

/** The side that `mappedBy` names owns the links. */
const isMapped = (relation: unknown, dominant: unknown): boolean =>
  relation === "oneToMany" || (relation !== "manyToOne" && dominant === false);

/** Others stay as they are, also if the request leaves them out. */
const isChangeable = ({ visible, configurable }: AttributeDefinition): boolean =>
  visible !== false && configurable !== false;

/** Keys that only requests have. */
const REQUEST_KEYS = new Set(["targetAttribute", "dominant", "autoPopulate"]);
/** Flags are stored if they have this value only. */
const STORED_FLAGS: Readonly<Record<string, boolean>> = { private: true, configurable: false };

const isStored = (key: string, value: unknown): boolean =>
  !REQUEST_KEYS.has(key) && (!Object.hasOwn(STORED_FLAGS, key) || STORED_FLAGS[key] === value);

/** An attribute as stored in files. */
function fileAttribute(input: JsonObject): AttributeDefinition {
  const { targetAttribute, dominant } = input;
  const attribute = pickBy(input, (value, key) => isStored(key, value));
  // a relation without this key is as in the file
  if (attribute.type !== "relation" || targetAttribute === undefined)
    return attribute as unknown as AttributeDefinition;
  const { inversedBy: _i, mappedBy: _m, ...oneWay } = attribute;
  if (typeof targetAttribute !== "string" || targetAttribute === "") return oneWay as unknown as AttributeDefinition;
  const side = isMapped(attribute.relation, dominant) ? "mappedBy" : "inversedBy";
  return { ...oneWay, [side]: targetAttribute } as unknown as AttributeDefinition;
}

/**
 * Whether a relation owns its links, as in Strapi: those of an existing side stay where they are, whatever is requested, and of two new
 * sides in one type, the first one owns them.
 */
function findDominant(uid: string, name: string, attributes: JsonObject, before: Attributes): unknown {
  const { target, targetAttribute, dominant } = toRecord(attributes[name]);
  const existing = before[name];
  if (existing && findOtherSide(existing) !== undefined) return existing.mappedBy === undefined;
  if (existing) return dominant;
  const names = Object.keys(attributes);
  const otherAt = target === uid ? names.indexOf(String(targetAttribute)) : -1;
  return otherAt === -1 || names.indexOf(name) <= otherAt;
}

/** Maps attributes with `change`. Returns the same object if none has changed. */
function mapAttributes(
  attributes: Attributes,
  change: (attribute: AttributeDefinition) => AttributeDefinition,
): Attributes {
  const entries = Object.entries(attributes).map(([name, attribute]) => [name, change(attribute)] as const);
  return entries.every(([name, attribute]) => attributes[name] === attribute)
    ? attributes
    : Object.fromEntries(entries);
}

export interface AttributeRename {
  readonly uid: string;
  readonly from: string;
  readonly to: string;
}

type Raw = RawContentType | RawComponent;

const isType = (raw: Raw): raw is RawContentType => "folder" in raw;

export class SchemaEdit {
  /** Types and components by uid. */
  readonly #schemas: Map<string, Raw>;
  readonly #changed = new Map<string, Definition | undefined>();
  readonly #renames: AttributeRename[] = [];
  readonly #schema: RawSchema;

  constructor(schema: RawSchema) {
    this.#schema = schema;
    this.#schemas = new Map([...schema.types, ...schema.components].map((raw) => [raw.uid, raw]));
  }

  /** The files to write and to remove. */
  get changes(): FileChange[] {
    return [...this.#changed].map(([file, definition]) => ({ file, definition }));
  }

  /** The schema with the changes. */
  get result(): RawSchema {
    const all = [...this.#schemas.values()];
    return {
      ...this.#schema,
      types: all.filter(isType),
      components: all.filter((raw): raw is RawComponent => !isType(raw)),
    };
  }

  /** Renamed attributes of types and components. */
  get renames(): readonly AttributeRename[] {
    return this.#renames;
  }

  type(uid: string): RawContentType | undefined {
    const raw = this.#schemas.get(uid);
    return raw && isType(raw) ? raw : undefined;
  }

  component(uid: string): RawComponent | undefined {
    const raw = this.#schemas.get(uid);
    return raw && !isType(raw) ? raw : undefined;
  }

  /** Adds or replaces a type or component. `input`: its attributes as in requests. */
  put(raw: Raw, input: JsonObject): void {
    const before = this.#schemas.get(raw.uid)?.definition.attributes ?? {};
    const kept = pickBy(before, (attribute) => !isChangeable(attribute));
    const changed = Object.entries(input).flatMap(([name, attribute]) =>
      Object.hasOwn(kept, name)
        ? []
        : [
            [
              name,
              fileAttribute({ ...toRecord(attribute), dominant: findDominant(raw.uid, name, input, before) }),
            ] as const,
          ],
    );
    const attributes = { ...kept, ...Object.fromEntries(changed) };
    this.#set(withAttributes(raw, attributes));
    if (isType(raw)) this.#updateOtherSides(raw.uid, before, attributes);
  }

  /** Updates references to the attribute, too. Returns why it cannot be renamed; undefined on success. */
  renameAttribute(uid: string, from: string, to: string): string | undefined {
    const raw = this.#schemas.get(uid);
    const { attributes = {}, options } = raw?.definition ?? {};
    if (!raw || !Object.hasOwn(attributes, from)) return "there is no such attribute";
    if (Object.hasOwn(attributes, to)) return `there is an attribute ${to}`;
    const { privateAttributes } = options ?? {};
    const renamedName = (name: string): string => (name === from ? to : name);
    const renamedAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, attribute]) => [
        renamedName(name),
        attribute.type === "uid" && attribute.targetField === from ? { ...attribute, targetField: to } : attribute,
      ]),
    );
    const definition = privateAttributes
      ? { ...raw.definition, options: { ...options, privateAttributes: privateAttributes.map(renamedName) } }
      : raw.definition;
    this.#set(withAttributes({ ...raw, definition } as Raw, renamedAttributes));
    this.#editAll((others) =>
      mapAttributes(others, (other) => {
        if (other.type !== "relation" || other.target !== uid || findOtherSide(other) !== from) return other;
        return { ...other, [other.mappedBy === from ? "mappedBy" : "inversedBy"]: to };
      }),
    );
    this.#renames.push({ uid, from, to });
    return undefined;
  }

  /** Removes a type with the relations to it, or a component with its attributes, also from zones. */
  remove(uid: string): void {
    const raw = this.#schemas.get(uid);
    if (!raw) return;
    this.#schemas.delete(uid);
    this.#changed.set(raw.file, undefined);
    const isDropped = ({ type, target, component }: AttributeDefinition): boolean =>
      (type === "relation" && target === uid) || (type === "component" && component === uid);
    this.#editAll((attributes) => {
      const remaining = Object.entries(attributes).filter(([, attribute]) => !isDropped(attribute));
      return remaining.length === Object.keys(attributes).length ? attributes : Object.fromEntries(remaining);
    });
    this.#replaceComponent(uid, undefined);
  }

  /** Renames a component: moves its file and updates the attributes that use it. */
  moveComponent(uid: string, next: string, file: string, category: string): void {
    const item = this.component(uid);
    if (!item || uid === next) return;
    this.#schemas.delete(uid);
    this.#changed.set(item.file, undefined);
    this.#set({ ...item, uid: next, file, category });
    this.#replaceComponent(uid, next);
  }

  #set(raw: Raw): void {
    this.#schemas.set(raw.uid, raw);
    this.#changed.set(raw.file, raw.definition);
  }

  /** Removes other sides that no relation leads to any more, and creates missing ones. */
  #updateOtherSides(uid: string, before: Attributes, after: Attributes): void {
    for (const [name, attribute] of Object.entries(before)) {
      const other = findOtherSide(attribute);
      const next = after[name];
      const stays = next?.target === attribute.target && findOtherSide(next) === other;
      if (other === undefined || stays) continue;
      this.#editTarget(String(attribute.target), (attributes) => {
        const { [other]: found, ...rest } = attributes;
        return found && found.target === uid && findOtherSide(found) === name ? rest : attributes;
      });
    }
    for (const [name, attribute] of Object.entries(after)) {
      const other = findOtherSide(attribute);
      if (other === undefined) continue;
      const back = attribute.mappedBy === undefined ? "mappedBy" : "inversedBy";
      const relation = OTHER_KIND[String(attribute.relation)];
      if (relation === undefined) continue;
      this.#editTarget(String(attribute.target), (attributes) => {
        const found = attributes[other];
        if (found && (found.target !== uid || findOtherSide(found) !== name)) return attributes;
        const { inversedBy: _i, mappedBy: _m, ...rest } = (found ?? {}) as JsonObject;
        const side = { ...rest, type: "relation", relation, target: uid, [back]: name };
        // a file that already has it is not rewritten
        return Bun.deepEquals(found, side) ? attributes : { ...attributes, [other]: side };
      });
    }
  }

  #editTarget(uid: string, edit: (attributes: Attributes) => Attributes): void {
    const type = this.type(uid);
    if (type) this.#edit(type, edit);
  }

  #replaceComponent(uid: string, next: string | undefined): void {
    this.#editAll((attributes) => mapAttributes(attributes, (attribute) => renamed(attribute, uid, next)));
  }

  #editAll(edit: (attributes: Attributes) => Attributes): void {
    for (const raw of this.#schemas.values()) this.#edit(raw, edit);
  }

  #edit(raw: Raw, edit: (attributes: Attributes) => Attributes): void {
    const attributes = edit(raw.definition.attributes);
    if (attributes !== raw.definition.attributes) this.#set(withAttributes(raw, attributes));
  }
}

const withAttributes = (raw: Raw, attributes: Attributes): Raw =>
  ({ ...raw, definition: { ...raw.definition, attributes } }) as Raw;

/** The attribute with one component replaced by another; the same object if it does not use it. */
function renamed(attribute: AttributeDefinition, uid: string, next: string | undefined): AttributeDefinition {
  if (attribute.type === "component" && attribute.component === uid && next !== undefined)
    return { ...attribute, component: next };
  const { components } = attribute;
  if (attribute.type !== "dynamiczone" || !Array.isArray(components) || !components.includes(uid)) return attribute;
  return { ...attribute, components: components.flatMap((item) => (item === uid ? (next ?? []) : item)) };
}

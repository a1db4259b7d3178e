/**
 * Edits of a project's schema by the content-type builder, on definitions in memory: nothing is written here. A relation
 * with a `targetAttribute` has its other side in the target, which is updated with each change.
 */
import type { AttributeDefinition } from "../../engine/attributes/index.ts";
import type { ComponentDefinition, ContentTypeDefinition, RawSchema } from "../../engine/schema/definition.ts";
import { pickBy } from "../../lib/records.ts";
import type { JsonObject } from "../call.ts";

type Definition = ContentTypeDefinition | ComponentDefinition;
type Attributes = Readonly<Record<string, AttributeDefinition>>;
/** The new content of a file; undefined: it is removed. */
export interface FileChange {
  readonly file: string;
  readonly definition: Definition | undefined;
}

const OTHER_KIND: Readonly<Record<string, string>> = {
  oneToOne: "oneToOne",
  oneToMany: "manyToOne",
  manyToOne: "oneToMany",
  manyToMany: "manyToMany",
};

const findOtherSide = (attribute: AttributeDefinition | undefined): string | undefined => {
  const name = attribute?.type === "relation" ? (attribute.inversedBy ?? attribute.mappedBy) : undefined;
  return typeof name === "string" ? name : undefined;
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

export class SchemaEdit {
  readonly #types: Map<string, { file: string; folder: string; definition: ContentTypeDefinition }>;
  readonly #components: Map<string, { file: string; category: string; definition: ComponentDefinition }>;
  readonly #changed = new Map<string, Definition | undefined>();
  readonly #renames: AttributeRename[] = [];
  readonly #schema: RawSchema;

  constructor(schema: RawSchema) {
    this.#schema = schema;
    this.#types = new Map(schema.types.map(({ uid, ...type }) => [uid, type]));
    this.#components = new Map(schema.components.map(({ uid, ...item }) => [uid, item]));
  }

  /** The files to write and to remove. */
  get changes(): FileChange[] {
    return [...this.#changed].map(([file, definition]) => ({ file, definition }));
  }

  /** The schema with the changes. */
  get result(): RawSchema {
    return {
      ...this.#schema,
      types: [...this.#types].map(([uid, type]) => ({ uid, ...type })),
      components: [...this.#components].map(([uid, item]) => ({ uid, ...item })),
    };
  }

  type(uid: string): ContentTypeDefinition | undefined {
    return this.#types.get(uid)?.definition;
  }

  component(uid: string): ComponentDefinition | undefined {
    return this.#components.get(uid)?.definition;
  }

  componentFile(uid: string): string | undefined {
    return this.#components.get(uid)?.file;
  }

  /** `input`: attributes as in requests. */
  putType(uid: string, file: string, folder: string, definition: ContentTypeDefinition, input: JsonObject): void {
    const before = this.#types.get(uid)?.definition.attributes ?? {};
    const attributes = this.#attributes(before, input);
    this.#setType(uid, file, folder, { ...definition, attributes });
    this.#updateOtherSides(uid, before, attributes);
  }

  putComponent(uid: string, file: string, category: string, definition: ComponentDefinition, input: JsonObject): void {
    const before = this.#components.get(uid)?.definition.attributes ?? {};
    const attributes = this.#attributes(before, input);
    this.#components.set(uid, { file, category, definition: { ...definition, attributes } });
    this.#changed.set(file, { ...definition, attributes });
  }

  /** Renamed attributes of types and components. */
  get renames(): readonly AttributeRename[] {
    return this.#renames;
  }

  /** Updates references to the attribute, too. Returns why it cannot be renamed; undefined on success. */
  renameAttribute(uid: string, from: string, to: string): string | undefined {
    const { definition } = this.#types.get(uid) ?? this.#components.get(uid) ?? {};
    const { attributes = {} } = definition ?? {};
    if (!definition || !Object.hasOwn(attributes, from)) return "there is no such attribute";
    if (Object.hasOwn(attributes, to)) return `there is an attribute ${to}`;
    const { privateAttributes } = definition.options ?? {};
    const renamedName = (name: string): string => (name === from ? to : name);
    this.#replaceDefinition(uid, {
      ...definition,
      ...(privateAttributes
        ? { options: { ...definition.options, privateAttributes: privateAttributes.map(renamedName) } }
        : {}),
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, attribute]) => [
          renamedName(name),
          attribute.type === "uid" && attribute.targetField === from ? { ...attribute, targetField: to } : attribute,
        ]),
      ),
    });
    this.#eachAttributes((others) =>
      mapAttributes(others, (other) => {
        if (other.type !== "relation" || other.target !== uid || findOtherSide(other) !== from) return other;
        return { ...other, [other.mappedBy === from ? "mappedBy" : "inversedBy"]: to };
      }),
    );
    this.#renames.push({ uid, from, to });
    return undefined;
  }

  removeType(uid: string): void {
    const type = this.#types.get(uid);
    if (!type) return;
    this.#types.delete(uid);
    this.#changed.set(type.file, undefined);
    this.#dropAttributes((attribute) => attribute.type === "relation" && attribute.target === uid);
  }

  /** Also removes attributes of the component, and the component from zones. */
  removeComponent(uid: string): void {
    const item = this.#components.get(uid);
    if (!item) return;
    this.#components.delete(uid);
    this.#changed.set(item.file, undefined);
    this.#replaceComponent(uid, undefined);
  }

  /** Renames a component: moves its file and updates the attributes that use it. */
  moveComponent(uid: string, next: string, file: string, category: string): void {
    const item = this.#components.get(uid);
    if (!item || uid === next) return;
    this.#components.delete(uid);
    this.#changed.set(item.file, undefined);
    this.#components.set(next, { file, category, definition: item.definition });
    this.#changed.set(file, item.definition);
    this.#replaceComponent(uid, next);
  }

  #attributes(before: Attributes, input: JsonObject): Attributes {
    const kept = pickBy(before, (attribute) => !isChangeable(attribute));
    const changed = Object.entries(input).flatMap(([name, attribute]) =>
      Object.hasOwn(kept, name) ? [] : [[name, fileAttribute(attribute as JsonObject)] as const],
    );
    return { ...kept, ...Object.fromEntries(changed) };
  }

  #setType(uid: string, file: string, folder: string, definition: ContentTypeDefinition): void {
    this.#types.set(uid, { file, folder, definition });
    this.#changed.set(file, definition);
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
        return Bun.deepEquals(found, side)
          ? attributes
          : { ...attributes, [other]: side as unknown as AttributeDefinition };
      });
    }
  }

  #replaceDefinition(uid: string, definition: Definition): void {
    const type = this.#types.get(uid);
    if (type) this.#setType(uid, type.file, type.folder, definition as ContentTypeDefinition);
    const item = this.#components.get(uid);
    if (!item) return;
    this.#components.set(uid, { ...item, definition });
    this.#changed.set(item.file, definition);
  }

  #editTarget(uid: string, edit: (attributes: Attributes) => Attributes): void {
    const type = this.#types.get(uid);
    if (!type) return;
    const attributes = edit(type.definition.attributes);
    if (attributes === type.definition.attributes) return;
    this.#setType(uid, type.file, type.folder, { ...type.definition, attributes });
  }

  #dropAttributes(isDropped: (attribute: AttributeDefinition) => boolean): void {
    this.#eachAttributes((attributes) => {
      const remaining = Object.entries(attributes).filter(([, attribute]) => !isDropped(attribute));
      return remaining.length === Object.keys(attributes).length ? attributes : Object.fromEntries(remaining);
    });
  }

  #replaceComponent(uid: string, next: string | undefined): void {
    if (next === undefined) this.#dropAttributes(({ type, component }) => type === "component" && component === uid);
    this.#eachAttributes((attributes) => mapAttributes(attributes, (attribute) => renamed(attribute, uid, next)));
  }

  #eachAttributes(edit: (attributes: Attributes) => Attributes): void {
    for (const [uid, type] of this.#types) {
      const attributes = edit(type.definition.attributes);
      if (attributes !== type.definition.attributes)
        this.#setType(uid, type.file, type.folder, { ...type.definition, attributes });
    }
    for (const [uid, item] of this.#components) {
      const attributes = edit(item.definition.attributes);
      if (attributes === item.definition.attributes) continue;
      const definition = { ...item.definition, attributes };
      this.#components.set(uid, { ...item, definition });
      this.#changed.set(item.file, definition);
    }
  }
}

/** The attribute with one component replaced by another; the same object if it does not use it. */
function renamed(attribute: AttributeDefinition, uid: string, next: string | undefined): AttributeDefinition {
  if (attribute.type === "component" && attribute.component === uid && next !== undefined)
    return { ...attribute, component: next };
  const { components } = attribute;
  if (attribute.type !== "dynamiczone" || !Array.isArray(components) || !components.includes(uid)) return attribute;
  return { ...attribute, components: components.flatMap((item) => (item === uid ? (next ?? []) : item)) };
}

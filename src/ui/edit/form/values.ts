/** Conversions between the server's values and those of the form, which are JSON: comparable and storable. */
import { jsonText, parseJsonText } from "../../editors/json/json-text.ts";
import { type Attribute, findComponent } from "../../model.ts";
import { SYSTEM_ATTRIBUTES } from "../../system-attributes.ts";
import { isVisible } from "./conditions.ts";
import { type FieldTypeName, findFieldType } from "./field-types.ts";

export type Values = { readonly [name: string]: unknown };

/** A linked document. */
export interface RelatedDocument {
  readonly id: number;
  readonly documentId: string;
  readonly status?: string;
  readonly locale?: string | null;
  /** Its type, for polymorphic relations. */
  readonly __type?: string;
  readonly [name: string]: unknown;
}

/** A relation: its loaded items, and the user's changes. */
export interface RelationValue {
  /** How many are linked on the server. */
  readonly count: number;
  /** In their order; undefined until loaded. Pages are loaded from the end, so the first items may be missing. */
  readonly items?: readonly RelatedDocument[];
  /** The document ids of added or moved items. */
  readonly placed: readonly string[];
  readonly removed: readonly RelatedDocument[];
}

/** An entry of a component or a dynamic zone. */
export interface EntryValue {
  readonly component: string;
  /** Undefined for one that was not saved yet. */
  readonly id?: number;
  readonly values: Values;
}

/** The entries of a component, of a list of them, or of a dynamic zone. */
export const toEntries = (value: unknown): readonly EntryValue[] => [value ?? []].flat() as EntryValue[];

export type FileValue = { readonly id: number; readonly [name: string]: unknown };

interface ManagerOptions {
  readonly visible?: boolean;
  readonly editable?: boolean;
}

const managerOptions = ({ pluginOptions }: Attribute): ManagerOptions | undefined =>
  (pluginOptions as { "content-manager"?: ManagerOptions } | undefined)?.["content-manager"];

const isHidden = (attribute: Attribute): boolean =>
  attribute.visible === false || managerOptions(attribute)?.visible === false;

/** Whether forms show an attribute without letting anybody change it. */
export const isFixed = (attribute: Attribute): boolean => managerOptions(attribute)?.editable === false;

/** Each locale of a document has relations of its own. */
export const isLocalizedAttribute = ({ type, pluginOptions }: Attribute): boolean =>
  type === "relation" || (pluginOptions as { i18n?: { localized?: boolean } } | undefined)?.i18n?.localized === true;

/** Codes that the server generates and compares itself, such as confirmation tokens. */
const isInternal = (attribute: Attribute): boolean => attribute.private === true && attribute.searchable === false;

/** Attributes that the form shows, in the order of the schema file. */
export const editableAttributes = (attributes: Readonly<Record<string, Attribute>>): [string, Attribute][] =>
  Object.entries(attributes).filter(
    ([name, attribute]) => !SYSTEM_ATTRIBUTES.has(name) && !isHidden(attribute) && !isInternal(attribute),
  );

const NO_RELATIONS: RelationValue = { count: 0, placed: [], removed: [] };

/** A relation after it was saved, with its loaded items. */
export const savedRelation = ({ items }: RelationValue, { count }: RelationValue): RelationValue => ({
  ...NO_RELATIONS,
  count,
  ...(items ? { items: items.map(({ isAdded: _, ...item }) => item as RelatedDocument) } : {}),
});

/** The number of linked documents: responses have a count, a list, or a single document. */
function linkedCount(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (isObject(value) && typeof value.count === "number" && value.documentId === undefined) return value.count;
  return value ? 1 : 0;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readEntry(value: unknown, component: string): EntryValue {
  const { id, __component, ...values } = value as { id?: number; __component?: string };
  const uid = __component ?? component;
  const described = findComponent(uid);
  return {
    component: uid,
    ...(id === undefined ? {} : { id }),
    values: described ? readValues(described.attributes, values) : values,
  };
}

/** The related items of a history version; undefined for other versions. */
const readResults = (value: unknown): readonly unknown[] | undefined =>
  isObject(value) && Array.isArray(value.results) ? value.results : undefined;

/** The related items that another locale is filled in with. */
const connectedIn = (value: unknown): readonly RelatedDocument[] | undefined =>
  isObject(value) && Array.isArray(value.connect) ? value.connect : undefined;

/** From the server's value to the form's, by type of field; values of other types are unchanged. */
const readers: Readonly<Partial<Record<FieldTypeName, (value: unknown, attribute: Attribute) => unknown>>> = {
  json: jsonText,
  relation: (value): RelationValue => {
    const items = readResults(value) as readonly RelatedDocument[] | undefined;
    if (items) return { ...NO_RELATIONS, count: items.length, items };
    const added = connectedIn(value)?.map((item) => ({ ...item, isAdded: true }));
    if (added) return { ...NO_RELATIONS, items: added, placed: added.map(({ documentId }) => documentId) };
    return { ...NO_RELATIONS, count: linkedCount(value) };
  },
  media: (value) => readResults(value) ?? [value ?? []].flat(),
  component: (value, attribute) => {
    const entries = [value ?? []].flat().map((entry) => readEntry(entry, String(attribute.component)));
    return attribute.repeatable ? entries : (entries[0] ?? null);
  },
  dynamiczone: (value) => [value ?? []].flat().map((entry) => readEntry(entry, "")),
};

/** The values of a document or an entry, from the content manager's answer. */
export const readValues = (attributes: Readonly<Record<string, Attribute>>, data: Values): Values =>
  Object.fromEntries(
    editableAttributes(attributes).map(([name, attribute]) => {
      const value = data[name] ?? null;
      return [name, readers[findFieldType(attribute)]?.(value, attribute) ?? value];
    }),
  );

const defaultOf = ({ default: value }: Attribute): unknown => (value === undefined ? null : value);

/**
 * The values of a document or an entry that does not exist yet. `sibling`: another locale of the document, as far as the server
 * sends it.
 */
export const newValues = (attributes: Readonly<Record<string, Attribute>>, sibling: Values = {}): Values =>
  readValues(
    attributes,
    Object.fromEntries(
      editableAttributes(attributes).map(([name, attribute]) => {
        const isInherited = Object.hasOwn(sibling, name) && !isLocalizedAttribute(attribute);
        return [name, isInherited ? sibling[name] : defaultOf(attribute)];
      }),
    ),
  );

/**
 * The changes of a relation as `connect` and `disconnect`. Each document is positioned after the one before it, so that the
 * order does not depend on items that are not loaded.
 */
function writeRelation({ items = [], placed, removed }: RelationValue): object | undefined {
  if (placed.length === 0 && removed.length === 0) return undefined;
  const typed = ({ __type }: RelatedDocument) => (__type ? { __type } : {});
  const place = (item: RelatedDocument) => ({
    documentId: item.documentId,
    ...(item.locale ? { locale: item.locale } : {}),
    ...typed(item),
  });
  const connect = items.flatMap((item, index): object[] => {
    if (!placed.includes(item.documentId)) return [];
    const before = items[index - 1];
    const after = items[index + 1];
    if (before) {
      const position = { after: before.documentId, locale: before.locale, ...typed(before) };
      return [{ ...place(item), position }];
    }
    return [{ ...place(item), position: after ? { start: true } : { end: true } }];
  });
  return { connect, disconnect: removed.map(place) };
}

function writeEntry({ component, id, values }: EntryValue, inZone: boolean): object {
  const described = findComponent(component);
  return {
    ...(inZone ? { __component: component } : {}),
    ...(id === undefined ? {} : { id }),
    ...(described ? writeValues(described.attributes, values) : values),
  };
}

/** From the form's value to the server's, by type of field; undefined: the attribute is not sent. */
const writers: Readonly<Partial<Record<FieldTypeName, (value: never) => unknown>>> = {
  json: (value: unknown) => (typeof value === "string" ? parseJsonText(value) : value),
  relation: (value: RelationValue) => writeRelation(value),
  media: (files: readonly FileValue[]) => files.map(({ id }) => id),
  component: (value: EntryValue | readonly EntryValue[] | null) =>
    Array.isArray(value)
      ? value.map((entry) => writeEntry(entry, false))
      : value && writeEntry(value as EntryValue, false),
  dynamiczone: (entries: readonly EntryValue[]) => entries.map((entry) => writeEntry(entry, true)),
  // an empty password leaves the stored one unchanged
  password: (value: unknown) => value || undefined,
};

/** The body of a request, without fields that are not visible. Throws a SyntaxError if the text of a JSON field is not JSON. */
export function writeValues(attributes: Readonly<Record<string, Attribute>>, values: Values): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, attribute] of editableAttributes(attributes)) {
    if (!isVisible(attribute, (other) => values[other])) continue;
    const write = writers[findFieldType(attribute)] as ((value: unknown) => unknown) | undefined;
    const value = write ? write(values[name]) : values[name];
    if (value !== undefined)
      body[name] = attribute.type === "media" && !attribute.multiple ? ((value as number[])[0] ?? null) : value;
  }
  return body;
}

/** Values of a document as the form has them: plain JSON, so that they can be compared, kept and recovered. */
import { type Attribute, componentOf, SYSTEM } from "../../model.ts";

export type Values = { readonly [name: string]: unknown };

/** A linked document. */
export interface Related {
  readonly id: number;
  readonly documentId: string;
  readonly status?: string;
  readonly locale?: string | null;
  /** Its type, where a relation leads to several. */
  readonly __type?: string;
  readonly [name: string]: unknown;
}

/** A relation: what it was when it was loaded is the server's; this is what the user changed. */
export interface RelationValue {
  /** How many are linked on the server. */
  readonly count: number;
  /** In their order; undefined until they are loaded. The first ones may be missing. */
  readonly items?: readonly Related[];
  /** By the ids of documents: those that were added or moved. */
  readonly placed: readonly string[];
  readonly removed: readonly Related[];
}

/** An entry of a component or a dynamic zone. */
export interface EntryValue {
  readonly component: string;
  /** Undefined for one that was not saved yet. */
  readonly id?: number;
  readonly values: Values;
}

export type FileValue = { readonly id: number; readonly [name: string]: unknown };

const isHidden = ({ pluginOptions, visible }: Attribute): boolean => {
  const manager = (pluginOptions as { "content-manager"?: { visible?: boolean } } | undefined)?.["content-manager"];
  return visible === false || manager?.visible === false;
};

/** Codes that the server makes and compares itself, as those in mails to users. */
const isInternal = (attribute: Attribute): boolean => attribute.private === true && attribute.searchable === false;

/** What people edit of a type or a component, in the order of its file. */
export const editableAttributes = (attributes: Readonly<Record<string, Attribute>>): [string, Attribute][] =>
  Object.entries(attributes).filter(
    ([name, attribute]) => !SYSTEM.has(name) && !isHidden(attribute) && !isInternal(attribute),
  );

export const NO_RELATIONS: RelationValue = { count: 0, placed: [], removed: [] };

/** A relation after it was saved: what was shown of it stays. */
export const savedRelation = ({ items }: RelationValue, { count }: RelationValue): RelationValue => ({
  ...NO_RELATIONS,
  count,
  ...(items ? { items: items.map(({ isAdded: _, ...item }) => item as Related) } : {}),
});

/** How many documents an answer links to: it has their number, the documents, or the only one. */
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
  const described = componentOf(uid);
  return {
    component: uid,
    ...(id === undefined ? {} : { id }),
    values: described ? readValues(described.attributes, values) : values,
  };
}

/** What the links of a past version lead to now; undefined for those of a present one. */
const resultsOf = (value: unknown): readonly unknown[] | undefined =>
  isObject(value) && Array.isArray(value.results) ? value.results : undefined;

/** From an answer's value to the form's, by the attribute's type; any other type keeps the value as it is. */
const readers: Readonly<Record<string, (value: unknown, attribute: Attribute) => unknown>> = {
  relation: (value): RelationValue => {
    const items = resultsOf(value) as readonly Related[] | undefined;
    if (items) return { ...NO_RELATIONS, count: items.length, items };
    return { ...NO_RELATIONS, count: linkedCount(value) };
  },
  media: (value) => resultsOf(value) ?? [value ?? []].flat(),
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
      return [name, readers[attribute.type]?.(value, attribute) ?? value];
    }),
  );

const defaultOf = ({ default: value }: Attribute): unknown => (value === undefined ? null : value);

/** The values of a document or an entry that does not exist yet. */
export const newValues = (attributes: Readonly<Record<string, Attribute>>): Values =>
  readValues(
    attributes,
    Object.fromEntries(editableAttributes(attributes).map(([name, attribute]) => [name, defaultOf(attribute)])),
  );

/**
 * What changed of a relation, as the server takes it. Each document is put behind the one before it, so that their order
 * does not depend on those that were not loaded.
 */
function writeRelation({ items = [], placed, removed }: RelationValue): object | undefined {
  if (placed.length === 0 && removed.length === 0) return undefined;
  const typed = ({ __type }: Related) => (__type ? { __type } : {});
  const place = (item: Related) => ({
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
  const described = componentOf(component);
  return {
    ...(inZone ? { __component: component } : {}),
    ...(id === undefined ? {} : { id }),
    ...(described ? writeValues(described.attributes, values) : values),
  };
}

/** From the form's value to what the server takes; undefined where nothing is sent. */
const writers: Readonly<Record<string, (value: never) => unknown>> = {
  relation: (value: RelationValue) => writeRelation(value),
  media: (files: readonly FileValue[]) => files.map(({ id }) => id),
  component: (value: EntryValue | readonly EntryValue[] | null) =>
    Array.isArray(value)
      ? value.map((entry) => writeEntry(entry, false))
      : value && writeEntry(value as EntryValue, false),
  dynamiczone: (entries: readonly EntryValue[]) => entries.map((entry) => writeEntry(entry, true)),
  // an empty one stays as it is
  password: (value: unknown) => value || undefined,
};

/** The body of a request, with these attributes or with all of them. */
export function writeValues(
  attributes: Readonly<Record<string, Attribute>>,
  values: Values,
  isSent: (name: string) => boolean = () => true,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, attribute] of editableAttributes(attributes)) {
    if (!isSent(name)) continue;
    const write = writers[attribute.type] as ((value: unknown) => unknown) | undefined;
    const value = write ? write(values[name]) : values[name];
    if (value !== undefined)
      body[name] = attribute.type === "media" && !attribute.multiple ? ((value as number[])[0] ?? null) : value;
  }
  return body;
}

/** Applies unsaved changes of a type or component to files that were changed by somebody else. */
import type { Attribute } from "../../model.ts";
import { type Draft, type DraftAttribute, newAttribute } from "./draft.ts";

/** What a draft was made from: the body of a request (see `createRequest`). */
export interface Base {
  readonly contentType?: BaseSchema;
  readonly component?: BaseSchema;
}

interface BaseSchema {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly [property: string]: unknown;
}

export interface Merged {
  readonly draft: Draft;
  /** What both have changed: the unsaved change was kept. */
  readonly conflicts: readonly string[];
}

const PROPERTIES = [
  "displayName",
  "description",
  "pluginOptions",
  "kind",
  "draftAndPublish",
  "category",
  "icon",
] as const satisfies readonly string[];

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What an attribute is without the order of its options. */
const isSameDefinition = (a: Attribute | undefined, b: Attribute | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && isEqual(Object.entries(a).toSorted(byKey), Object.entries(b).toSorted(byKey)));

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** The attribute that is in the files now, with what is unsaved of it. Undefined if either side has removed it. */
function mergedAttribute(
  theirs: DraftAttribute,
  before: Attribute | undefined,
  mine: DraftAttribute | undefined,
  conflicts: string[],
): DraftAttribute | undefined {
  if (!mine) return before === undefined ? theirs : undefined;
  const isOwn = !isSameDefinition(mine.definition, before);
  if (!isOwn && mine.name === theirs.name) return { ...theirs, key: mine.key };
  const isTheirs = !isSameDefinition(theirs.definition, before);
  if (isOwn && isTheirs && !isSameDefinition(theirs.definition, mine.definition)) conflicts.push(mine.name);
  // a new name alone does not undo what others changed of the attribute
  return { ...mine, original: theirs.name, definition: isOwn ? mine.definition : theirs.definition };
}

/** Those of `attributes` in the order of the draft; others stay behind the one that they follow. */
function ordered(attributes: readonly DraftAttribute[], mine: readonly DraftAttribute[]): DraftAttribute[] {
  const sorted = mine.flatMap(({ key }) => attributes.filter((attribute) => attribute.key === key));
  for (const [index, attribute] of attributes.entries()) {
    if (sorted.includes(attribute)) continue;
    const previous = attributes[index - 1];
    sorted.splice(previous ? sorted.indexOf(previous) + 1 : 0, 0, attribute);
  }
  return sorted;
}

function mergedAttributes(base: BaseSchema, mine: Draft, theirs: Draft, conflicts: string[]): DraftAttribute[] {
  const byOriginal = new Map(mine.attributes.map((attribute) => [attribute.original, attribute]));
  const byName = new Map(mine.attributes.map((attribute) => [attribute.name, attribute]));
  const saved = theirs.attributes.flatMap((attribute) => {
    const before = base.attributes[attribute.name];
    const own = byOriginal.get(attribute.name) ?? (before ? undefined : byName.get(attribute.name));
    return mergedAttribute(attribute, before, own, conflicts) ?? [];
  });
  const present = new Set(saved.map(({ key }) => key));
  const others = mine.attributes.filter((attribute) => {
    if (present.has(attribute.key)) return false;
    const { original, name, definition } = attribute;
    // removed by others: kept if it was changed here
    return original === undefined || original !== name || !isSameDefinition(definition, base.attributes[original]);
  });
  const added = others.map((attribute) => {
    if (attribute.original !== undefined) conflicts.push(attribute.name);
    return { ...newAttribute(attribute.name, attribute.definition), key: attribute.key };
  });
  const isMoved = !isEqual(
    mine.attributes.flatMap(({ original }) => original ?? []),
    Object.keys(base.attributes).filter((name) => byOriginal.has(name)),
  );
  return isMoved || added.length > 0 ? ordered([...saved, ...added], mine.attributes) : saved;
}

/** `theirs`: what the files say now. */
export function mergeDraft(base: Base, mine: Draft, theirs: Draft): Merged {
  const before = base.contentType ?? base.component;
  if (!before) return { draft: mine, conflicts: [] };
  const conflicts: string[] = [];
  const properties: Record<string, unknown> = { ...theirs };
  for (const key of PROPERTIES) {
    const own = (mine as unknown as Record<string, unknown>)[key];
    if (isEqual(own, before[key])) continue;
    if (!isEqual(properties[key], before[key]) && !isEqual(properties[key], own)) conflicts.push(key);
    properties[key] = own;
  }
  const attributes = mergedAttributes(before, mine, theirs, conflicts);
  return { draft: { ...properties, attributes } as unknown as Draft, conflicts };
}

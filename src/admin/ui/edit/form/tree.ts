/**
 * A form as a tree of signals: a key press changes the signal of one field only, however large the document is.
 */
import { type Signal, signal } from "@preact/signals";
import type { Problem } from "../../api/client.ts";
import { type Attribute, componentOf } from "../../model.ts";
import {
  type EntryValue,
  editableAttributes,
  newValues,
  type RelationValue,
  savedRelation,
  type Values,
} from "./values.ts";

interface NodeBase {
  readonly name: string;
  readonly attribute: Attribute;
  /** Unique in the page. */
  readonly id: string;
  /** The server's validation error for the last save. */
  readonly problem: Signal<string | undefined>;
}

/** A value that one input edits. */
export interface Leaf extends NodeBase {
  readonly kind: "leaf";
  readonly value: Signal<unknown>;
  /** Sets a value loaded from the server, without calling `changed`. */
  readonly load: (value: unknown) => void;
}

/** One component, several, or a dynamic zone. */
export interface Entries extends NodeBase {
  readonly kind: "entries";
  readonly entries: Signal<readonly Group[]>;
  /** Sets entries loaded from the server, without calling `changed`. */
  readonly load: (entries: readonly EntryValue[]) => void;
}

export type Node = Leaf | Entries;

/** The fields of a document, or of an entry of a component. */
export interface Group {
  /** Stays the same while entries are moved. */
  readonly key: string;
  /** Undefined for the document itself. */
  readonly component: string | undefined;
  /** The entry's id on the server; undefined until it is saved. */
  entryId: number | undefined;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly isOpen: Signal<boolean>;
}

/** Entries of longer lists are folded at first. */
const OPEN_ENTRIES = 3;

let lastKey = 0;

function createEntry({ component, id, values }: EntryValue, changed: () => void, isOpen = true): Group {
  const attributes = componentOf(component)?.attributes ?? {};
  return createGroup(attributes, values, changed, { component, entryId: id, isOpen });
}

export const newEntry = (component: string, changed: () => void): Group =>
  createEntry({ component, values: newValues(componentOf(component)?.attributes ?? {}) }, changed);

interface GroupOptions {
  readonly component?: string;
  readonly entryId?: number | undefined;
  readonly isOpen?: boolean;
}

/** `changed` is called after each change by the user. */
export function createGroup(
  attributes: Readonly<Record<string, Attribute>>,
  values: Values,
  changed: () => void,
  { component, entryId, isOpen = true }: GroupOptions = {},
): Group {
  const key = `group-${++lastKey}`;
  const nodes = editableAttributes(attributes).map(([name, attribute]): [string, Node] => {
    const base = { name, attribute, id: `${key}-${name}`, problem: signal<string | undefined>(undefined) };
    return [name, createNode(base, values[name], changed)];
  });
  return { key, component, entryId, nodes: new Map(nodes), isOpen: signal(isOpen) };
}

function createNode(base: NodeBase, value: unknown, changed: () => void): Node {
  const { type } = base.attribute;
  if (type !== "component" && type !== "dynamiczone") {
    const leaf = observedSignal(value, changed);
    return { ...base, kind: "leaf", value: leaf.signal, load: leaf.load };
  }
  const entries = [value ?? []].flat() as EntryValue[];
  const groupsOf = (list: readonly EntryValue[]): readonly Group[] =>
    list.map((entry) => createEntry(entry, changed, list.length <= OPEN_ENTRIES));
  const own = observedSignal(groupsOf(entries), changed);
  return { ...base, kind: "entries", entries: own.signal, load: (list) => own.load(groupsOf(list)) };
}

function observedSignal<Value>(value: Value, changed: () => void) {
  const own = signal(value);
  let isLoading = true;
  own.subscribe(() => {
    if (!isLoading) changed();
  });
  isLoading = false;
  const load = (loaded: Value): void => {
    isLoading = true;
    own.value = loaded;
    isLoading = false;
  };
  return { signal: own, load };
}

const entryValue = (group: Group): EntryValue => ({
  component: group.component ?? "",
  ...(group.entryId === undefined ? {} : { id: group.entryId }),
  values: valuesOf(group),
});

function nodeValue(node: Node): unknown {
  if (node.kind === "leaf") return node.value.peek();
  const entries = node.entries.peek().map(entryValue);
  const isList = node.attribute.type === "dynamiczone" || node.attribute.repeatable === true;
  return isList ? entries : (entries[0] ?? null);
}

/** The current values of the form. */
export const valuesOf = ({ nodes }: Group): Values =>
  Object.fromEntries([...nodes].map(([name, node]) => [name, nodeValue(node)]));

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const entriesOf = (value: unknown): readonly EntryValue[] => [value ?? []].flat() as EntryValue[];

/**
 * Merges saved values into the form in place, so that the focus and open entries stay. Changes that the user made after
 * `sent` was read from the form stay; returns whether there are any. `isOwn`: the values were saved here, so that the loaded
 * related documents are still right.
 */
export function mergeSaved(group: Group, sent: Values, saved: Values, isOwn: boolean): boolean {
  let isChanged = false;
  for (const [name, node] of group.nodes) {
    const mergeNode = node.kind === "leaf" ? mergeValue : mergeEntries;
    isChanged = mergeNode(node as never, sent[name], saved[name], isOwn) || isChanged;
  }
  return isChanged;
}

/** The part of a value that only the user changes: the items of a relation may have been loaded meanwhile. */
const changesOf = ({ attribute }: Leaf, value: unknown): unknown => {
  if (attribute.type !== "relation") return value;
  const { placed, removed } = value as RelationValue;
  return [placed, removed];
};

function mergeValue(node: Leaf, sent: unknown, saved: unknown, isOwn: boolean): boolean {
  const { attribute, value, load } = node;
  const current = value.peek();
  if (!isSame(changesOf(node, current), changesOf(node, sent))) return true;
  const keepsItems = isOwn && attribute.type === "relation";
  const next = keepsItems ? savedRelation(current as RelationValue, saved as RelationValue) : saved;
  if (!isSame(next, current)) load(next);
  return false;
}

/** Entries get ids when they are saved. If the user added, moved or removed entries since then, the list is left as it is. */
function mergeEntries({ entries, load }: Entries, sent: unknown, saved: unknown, isOwn: boolean): boolean {
  const groups = entries.peek();
  const [before, after] = [entriesOf(sent), entriesOf(saved)];
  const isOf = (list: readonly EntryValue[]): boolean =>
    list.length === groups.length && groups.every(({ component }, index) => component === list[index]!.component);
  const isMoved = groups.some(({ entryId }, index) => entryId !== before[index]?.id);
  if (!isOf(before) || isMoved) return true;
  if (!isOf(after)) {
    load(after);
    return false;
  }
  let isChanged = false;
  groups.forEach((entry, index) => {
    entry.entryId = after[index]!.id;
    isChanged = mergeSaved(entry, before[index]!.values, after[index]!.values, isOwn) || isChanged;
  });
  return isChanged;
}

function* nodesOf(group: Group): Generator<Node> {
  for (const node of group.nodes.values()) {
    yield node;
    if (node.kind === "entries") for (const entry of node.entries.peek()) yield* nodesOf(entry);
  }
}

export function clearProblems(group: Group): void {
  for (const node of nodesOf(group)) node.problem.value = undefined;
}

/**
 * Sets an error at the field of its path, or at the nearest ancestor, and unfolds the entries around it.
 * Returns the node; undefined for an unknown path.
 */
function placeProblem(group: Group, path: readonly string[], message: string): Node | undefined {
  const [name = "", ...rest] = path;
  const node = group.nodes.get(name);
  if (!node) return undefined;
  const inner = node.kind === "entries" ? placeInEntries(node, rest, message) : undefined;
  if (inner) return inner;
  node.problem.value ??= message;
  return node;
}

/** As `placeProblem`, for all of them. `others` are the messages that belong to no field. */
export function placeProblems(
  group: Group,
  problems: readonly Problem[],
): { readonly first: Node | undefined; readonly others: readonly string[] } {
  const others: string[] = [];
  let first: Node | undefined;
  for (const { path, message } of problems) {
    const names = (Array.isArray(path) ? path.map(String) : String(path).split(".")).filter(Boolean);
    const node = placeProblem(group, names, message);
    first ??= node;
    if (!node) others.push(message);
  }
  return { first, others };
}

function placeInEntries({ attribute, entries }: Entries, path: readonly string[], message: string): Node | undefined {
  const isList = attribute.type === "dynamiczone" || attribute.repeatable === true;
  const entry = entries.peek()[isList ? Number(path[0]) : 0];
  const found = entry && placeProblem(entry, isList ? path.slice(1) : path, message);
  if (found) entry.isOpen.value = true;
  return found;
}

/**
 * A form as a tree of signals: a key press changes the signal of one field only, however large the document is.
 */
import { type Signal, signal } from "@preact/signals";
import { type Attribute, findComponent } from "../../model.ts";
import { isVisible } from "./conditions.ts";
import { createFieldValue, type FieldValue } from "./field-value.ts";
import { type EntryValue, editableAttributes, newValues, toEntries, type Values } from "./values.ts";

interface NodeBase {
  readonly name: string;
  readonly attribute: Attribute;
  /** Unique in the page. */
  readonly id: string;
  /** The server's validation error for the last save, until the value is changed. */
  readonly problem: Signal<string | undefined>;
}

/** A value that one input edits. */
export interface Leaf extends NodeBase, FieldValue<unknown> {
  readonly kind: "leaf";
  /** What is wrong with the text of its input, which is not its value. The document is not saved with it. */
  textProblem?: string | undefined;
}

/** One component, several, or a dynamic zone. */
export interface Entries extends NodeBase {
  readonly kind: "entries";
  readonly entries: Signal<readonly Group[]>;
  /** Sets entries loaded from the server, without calling `changed`. */
  readonly load: (entries: readonly EntryValue[]) => void;
}

export type Node = Leaf | Entries;

/** An addition, a removal or a move: entries, linked documents or files. */
export interface Step {
  readonly node: Node;
  readonly before: unknown;
  readonly after: unknown;
}

/** Called after each change by the user. `step`: of what is not text. */
type Changed = (step?: Step) => void;

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

function createEntry({ component, id, values }: EntryValue, changed: Changed, isOpen = true): Group {
  const attributes = findComponent(component)?.attributes ?? {};
  return createGroup(attributes, values, changed, { component, entryId: id, isOpen });
}

export const newEntry = (component: string, changed: Changed): Group =>
  createEntry({ component, values: newValues(findComponent(component)?.attributes ?? {}) }, changed);

interface GroupOptions {
  readonly component?: string;
  readonly entryId?: number | undefined;
  readonly isOpen?: boolean;
}

export function createGroup(
  attributes: Readonly<Record<string, Attribute>>,
  values: Values,
  changed: Changed,
  { component, entryId, isOpen = true }: GroupOptions = {},
): Group {
  const key = `group-${++lastKey}`;
  const nodes = editableAttributes(attributes).map(([name, attribute]): [string, Node] => {
    const base = { name, attribute, id: `${key}-${name}`, problem: signal<string | undefined>(undefined) };
    const edited: Changed = (step) => {
      base.problem.value = undefined;
      changed(step);
    };
    return [name, createNode(base, values[name], edited)];
  });
  return { key, component, entryId, nodes: new Map(nodes), isOpen: signal(isOpen) };
}

function createNode(base: NodeBase, value: unknown, changed: Changed): Node {
  const { type } = base.attribute;
  if (type !== "component" && type !== "dynamiczone") {
    const isList = type === "relation" || type === "media";
    const leaf: Leaf = {
      ...base,
      kind: "leaf",
      ...createFieldValue(value, (before) =>
        changed(isList ? { node: leaf, before, after: leaf.value.peek() } : undefined),
      ),
    };
    return leaf;
  }
  const entries = toEntries(value);
  const createGroups = (list: readonly EntryValue[]): readonly Group[] =>
    list.map((entry) => createEntry(entry, changed, list.length <= OPEN_ENTRIES));
  const own = createFieldValue(createGroups(entries), (before) => changed({ node, before, after: own.value.peek() }));
  const node: Entries = { ...base, kind: "entries", entries: own.value, load: (list) => own.load(createGroups(list)) };
  return node;
}

const entryValue = (group: Group): EntryValue => ({
  component: group.component ?? "",
  ...(group.entryId === undefined ? {} : { id: group.entryId }),
  values: collectValues(group),
});

/** Whether there may be several entries. */
export const isList = ({ type, repeatable }: Attribute): boolean => type === "dynamiczone" || repeatable === true;

/** The current value of a field. */
export function currentValue(node: Node): unknown {
  if (node.kind === "leaf") {
    node.settle();
    return node.value.peek();
  }
  const entries = node.entries.peek().map(entryValue);
  return isList(node.attribute) ? entries : (entries[0] ?? null);
}

/** The current values of the form. */
export const collectValues = ({ nodes }: Group): Values =>
  Object.fromEntries([...nodes].map(([name, node]) => [name, currentValue(node)]));

/** Whether a field is visible beside the current values of its group. In an effect, it follows them. */
export const isVisibleIn = ({ nodes }: Group, { attribute }: Node): boolean =>
  isVisible(attribute, (name) => {
    const node = nodes.get(name);
    if (!node) return undefined;
    return node.kind === "leaf" ? node.value.value : node.entries.value;
  });

/** The entries around a field, the outermost first; undefined: the group does not have it. */
export function entriesAround({ nodes }: Group, node: Node): readonly Group[] | undefined {
  for (const own of nodes.values()) {
    if (own === node) return [];
    if (own.kind === "leaf") continue;
    for (const entry of own.entries.peek()) {
      const inner = entriesAround(entry, node);
      if (inner) return [entry, ...inner];
    }
  }
  return undefined;
}

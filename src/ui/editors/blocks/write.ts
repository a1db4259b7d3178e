/**
 * A ProseMirror document as JSON. A node that is as it was read becomes the very object it was read from; one that has
 * changed keeps the keys that the editor does not know.
 */
import type { Mark, Node } from "prosemirror-model";
import { isSameDoc } from "./parts.ts";
import { isRecord, isUnchanged, type Json } from "./read.ts";
import { marks, nodes, STYLES } from "./schema.ts";

const sameMarks = (a: readonly Mark[], b: readonly Mark[]): boolean =>
  a.length === b.length && a.every((mark, index) => mark.eq(b[index]!));

function textJson(text: string, all: readonly Mark[]): Json {
  const extra: Json = all.find(({ type }) => type === marks.extra)?.attrs.keys ?? {};
  const styles = STYLES.filter((style) => all.some(({ type }) => type === marks[style]));
  return { type: "text", text, ...extra, ...Object.fromEntries(styles.map((style) => [style, true])) };
}

const EMPTY_TEXT: Json = { type: "text", text: "" };

/** Puts empty texts around other inline nodes, as Strapi's editor does. */
function padWithText(children: readonly unknown[]): unknown[] {
  const isText = (child: unknown): boolean => isRecord(child) && child.type === "text";
  const padded: unknown[] = [];
  for (const child of children) {
    if (!isText(child) && !isText(padded.at(-1))) padded.push(EMPTY_TEXT);
    padded.push(child);
  }
  if (!isText(padded.at(-1))) padded.push(EMPTY_TEXT);
  return padded;
}

interface Inline {
  readonly node: Node;
  readonly link: Mark | undefined;
  readonly styles: readonly Mark[];
}

function leavesJson(leaves: readonly Inline[]): unknown[] {
  const written: unknown[] = [];
  let open: { text: string; styles: readonly Mark[] } | undefined;
  const close = (): void => {
    if (open) written.push(textJson(open.text, open.styles));
    open = undefined;
  };
  for (const { node, styles } of leaves) {
    if (node.type === nodes.unknown_inline) {
      close();
      written.push(node.attrs.source);
      continue;
    }
    const text = node.text ?? "\n";
    if (open && sameMarks(open.styles, styles)) open.text += text;
    else {
      close();
      open = { text, styles };
    }
  }
  close();
  return written;
}

/** Runs of neighbours for which `isSame` holds. */
function runs<T>(items: readonly T[], isSame: (a: T, b: T) => boolean): T[][] {
  const found: T[][] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last && isSame(last[0]!, item)) last.push(item);
    else found.push([item]);
  }
  return found;
}

function inlineJson(parent: Node): unknown[] {
  const leaves = parent.children.map((node): Inline => {
    const link = node.marks.find(({ type }) => type === marks.link);
    return { node, link, styles: node.marks.filter((mark) => mark !== link) };
  });
  const groups = runs(leaves, (a, b) => (a.link && b.link ? a.link.eq(b.link) : a.link === b.link));
  return padWithText(
    groups.flatMap((group) => {
      const { link } = group[0]!;
      if (!link) return leavesJson(group);
      const { source, url } = link.attrs;
      return [{ ...source, type: "link", url, children: leavesJson(group) }];
    }),
  );
}

/** Keys of each node's JSON besides `type` and `children`. A key that is null is written only where it was. */
const ownKeys: Readonly<Record<string, readonly string[]>> = {
  heading: ["level"],
  code: ["language"],
  list: ["format", "indentLevel"],
  image: ["image"],
};
const allOwnKeys = new Set(Object.values(ownKeys).flat());

const jsonTypes: Readonly<Record<string, string>> = { list_item: "list-item", code_block: "code" };
const jsonType = ({ type: { name } }: Node): string => jsonTypes[name] ?? name;

/** The JSON of a changed node: that of `source`, with what the editor knows replaced. */
function changedJson(node: Node, source: Json, children: readonly unknown[]): Json {
  const type = jsonType(node);
  const own = ownKeys[type] ?? [];
  // what a heading had is nothing that a paragraph could have
  const sourceEntries = Object.entries(source).filter(([key]) => source.type === type || !allOwnKeys.has(key));
  const values = own
    .map((key) => [key, node.attrs[key]] as const)
    .filter(([key, value]) => value !== null || Object.hasOwn(source, key));
  return { ...Object.fromEntries([["type", type], ...sourceEntries, ...values, ["type", type]]), children };
}

/** Inline content is written once for each node: documents share the nodes that have not changed. */
const written = new WeakMap<Node, { readonly source: Json; readonly json: Json }>();
const NO_SOURCE: Json = {};

class Writer {
  /** Sources whose unknown keys have a place. Halves of a block that was split share one; only one may keep its keys. */
  readonly #claimed = new Set<object>();

  /** Nodes that have not changed come first: their JSON is theirs. */
  claim(node: Node): void {
    if (isUnchanged(node)) this.#claimed.add(node.attrs.source);
    else if (node.type === nodes.list) for (const child of node.children) this.claim(child);
  }

  write(node: Node): unknown {
    const { source } = node.attrs;
    if (node.type === nodes.unknown_block || isUnchanged(node)) return source;
    const base = isRecord(source) && !this.#claimed.has(source) ? source : NO_SOURCE;
    if (base !== NO_SOURCE) this.#claimed.add(base);
    if (node.type === nodes.list) {
      return changedJson(
        node,
        base,
        node.children.map((child) => this.write(child)),
      );
    }
    const earlier = written.get(node);
    if (earlier?.source === base) return earlier.json;
    const children = node.type === nodes.image && Array.isArray(base.children) ? base.children : inlineJson(node);
    const json = changedJson(node, base, children);
    written.set(node, { source: base, json });
    return json;
  }
}

export function writeBlocks(doc: Node): unknown[] {
  const writer = new Writer();
  for (const node of doc.children) writer.claim(node);
  return doc.children.map((node) => writer.write(node));
}

const isEmptyParagraph = (node: Node): boolean =>
  node.type === nodes.paragraph && node.childCount === 0 && node.attrs.source === null;

/** The value of a document; `null` for one without content. `read` is what it was read from. */
export function writeValue(doc: Node, read: { readonly value: unknown; readonly doc: Node }): unknown {
  if (isSameDoc(doc, read.doc)) return read.value;
  return doc.childCount === 1 && isEmptyParagraph(doc.child(0)) ? null : writeBlocks(doc);
}

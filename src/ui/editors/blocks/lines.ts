/**
 * Blocks as lines: each leaf with the lists that it is in, from the outermost. Commands on blocks and lists change lines,
 * from which the nodes are built again, so that none of them has to compute positions in nested lists.
 */
import { Fragment, type Node, type NodeType } from "prosemirror-model";
import { NodeSelection, type Selection, TextSelection, type Transaction } from "prosemirror-state";
import { nodes } from "./schema.ts";

/** A list that lines are in. Neighbouring lines with the same object are items of one list. */
export interface ListToken {
  readonly attrs: Readonly<Record<string, unknown>>;
  /** 0: the outermost. */
  readonly depth: number;
}

export interface Line {
  /** An item of a list is a `list_item`, unless it is an unknown block. */
  readonly node: Node;
  readonly lists: readonly ListToken[];
  readonly isSelected: boolean;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines of a block that begins at `start`. */
function listLines(node: Node, start: number, lists: readonly ListToken[], { from, to }: Range): Line[] {
  if (node.type !== nodes.list) {
    return [{ node, lists, isSelected: from < start + node.nodeSize && to > start }];
  }
  const inner = [...lists, { attrs: node.attrs, depth: lists.length }];
  let position = start + 1;
  return node.children.flatMap((child) => {
    const lines = listLines(child, position, inner, { from, to });
    position += child.nodeSize;
    return lines;
  });
}

/** A list that has come to another depth says so, as Strapi's editor does. */
function listNode({ attrs, depth: before }: ListToken, depth: number, children: readonly Node[]): Node {
  const indentLevel = depth === before ? attrs.indentLevel : depth;
  return nodes.list.create({ ...attrs, indentLevel }, children);
}

function createNodes(lines: readonly Line[], depth = 0): Node[] {
  const built: Node[] = [];
  for (let index = 0; index < lines.length; ) {
    const token = lines[index]!.lists[depth];
    if (token === undefined) {
      built.push(lines[index++]!.node);
      continue;
    }
    let end = index + 1;
    while (lines[end]?.lists[depth] === token) end++;
    built.push(listNode(token, depth, createNodes(lines.slice(index, end), depth + 1)));
    index = end;
  }
  return built;
}

/** A position, counted in text blocks, which commands on lines neither add nor remove. */
function findTextPosition(doc: Node, position: number): { block: number; offset: number } {
  let block = -1;
  doc.nodesBetween(0, position, (node) => {
    if (node.isTextblock) block++;
    return !node.isTextblock;
  });
  return { block, offset: doc.resolve(position).parentOffset };
}

function resolveTextPosition(doc: Node, textPosition: { block: number; offset: number }): number {
  let remaining = textPosition.block;
  let found = 0;
  doc.descendants((node, position) => {
    if (node.isTextblock && remaining-- === 0) found = position + 1 + Math.min(textPosition.offset, node.content.size);
    return !node.isTextblock;
  });
  return found;
}

const isInText = ({ $from, $to }: Selection): boolean => $from.parent.isTextblock && $to.parent.isTextblock;

/**
 * Changes the lines of the blocks that the selection touches; blocks beside them too if `isWider`. Does nothing and returns
 * false when `change` returns undefined.
 */
export function changeLines(
  transaction: Transaction,
  change: (lines: readonly Line[]) => readonly Line[] | undefined,
  { isWider = false } = {},
): boolean {
  const { doc, selection } = transaction;
  const margin = isWider ? 1 : 0;
  const first = Math.max(0, selection.$from.index(0) - margin);
  const last = Math.min(doc.childCount - 1, selection.$to.indexAfter(0) - 1 + margin);
  const blocks = doc.children.slice(first, Math.max(last, first) + 1);
  const start = doc.children.slice(0, first).reduce((sum, node) => sum + node.nodeSize, 0);
  let position = start;
  const lines = blocks.flatMap((block) => {
    const found = listLines(block, position, [], selection);
    position += block.nodeSize;
    return found;
  });
  const changed = change(lines);
  if (!changed) return false;
  const textPositions = isInText(selection)
    ? ([findTextPosition(doc, selection.anchor), findTextPosition(doc, selection.head)] as const)
    : undefined;
  transaction.replaceWith(start, position, Fragment.fromArray(createNodes(changed)));
  if (textPositions) {
    const [anchor, head] = textPositions.map((textPosition) => resolveTextPosition(transaction.doc, textPosition));
    transaction.setSelection(TextSelection.create(transaction.doc, anchor!, head));
  } else if (selection instanceof NodeSelection) {
    transaction.setSelection(NodeSelection.create(transaction.doc, transaction.mapping.map(selection.from, -1)));
  }
  return true;
}

/** Inline content that the type may hold: code has no links, and line breaks in it are characters. */
function contentFor(type: NodeType, node: Node): Node[] {
  const { code: isCode = false } = type.spec;
  if (isCode === Boolean(node.type.spec.code)) return [...node.children];
  return node.children.flatMap((child) => {
    const allowed = type.allowedMarks(child.marks);
    if (child.type === nodes.line_break) return [type.schema.text("\n", allowed)];
    if (!child.isText) return [child.mark(allowed)];
    if (isCode) return [child.mark(allowed)];
    return child
      .text!.split("\n")
      .flatMap((text, index) => [
        ...(index > 0 ? [nodes.line_break.create(null, null, allowed)] : []),
        ...(text === "" ? [] : [type.schema.text(text, allowed)]),
      ]);
  });
}

/** The text block as one of another type. Keys that the editor does not know stay with it. */
export function converted(node: Node, type: NodeType, attrs: Readonly<Record<string, unknown>> = {}): Node {
  if (!node.isTextblock) return node;
  const { source } = node.attrs;
  return type.create({ ...attrs, source }, contentFor(type, node));
}

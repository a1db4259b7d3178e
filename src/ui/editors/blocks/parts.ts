/**
 * Parts of long documents: a browser lays out and paints only those near the view, so that a key takes as long in a long text as in
 * a short one. A part is a mark of its blocks, which belongs neither to their JSON nor to what is compared; blocks without one,
 * such as new ones, stand between two elements.
 */
import { Mark, type Node } from "prosemirror-model";
import { marks, nodes } from "./schema.ts";

/** Shorter documents are as fast without. */
const MIN_BLOCKS = 200;
const PART_BLOCKS = 50;

/** What may come into a list has no mark, which would not be valid there. */
const canMark = ({ type }: Node): boolean => type !== nodes.list && type !== nodes.unknown_block;

export function withParts(blocks: readonly Node[]): readonly Node[] {
  if (blocks.length < MIN_BLOCKS) return blocks;
  return blocks.map((block, index) =>
    canMark(block) ? block.mark([marks.part.create({ index: Math.floor(index / PART_BLOCKS) })]) : block,
  );
}

export const isSameBlock = (a: Node, b: Node): boolean => a.mark(Mark.none).eq(b.mark(Mark.none));

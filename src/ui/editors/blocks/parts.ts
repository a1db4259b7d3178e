/**
 * Parts of long documents: a browser lays out and paints only those near the view, so that a key takes as long in a long text as in
 * a short one. A part is a mark of its blocks, which belongs neither to their JSON nor to what is compared; blocks without one,
 * such as new ones, stand between two elements.
 */
import { Fragment, Mark, type Node } from "prosemirror-model";
import { Plugin, type Transaction } from "prosemirror-state";
import { Step, StepResult } from "prosemirror-transform";
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

export const isSameDoc = (a: Node, b: Node): boolean =>
  a.childCount === b.childCount && a.children.every((block, index) => isSameBlock(block, b.child(index)));

const partOf = (block: Node | null): Mark | undefined => block?.marks.find(({ type }) => type === marks.part);

/** Which part each block is in. One step, and one copy of the document, for any number of blocks; positions stay what they are. */
class PartsStep extends Step {
  readonly #parts: readonly (Mark | undefined)[];

  constructor(parts: readonly (Mark | undefined)[]) {
    super();
    this.#parts = parts;
  }

  override apply(doc: Node): StepResult {
    const blocks = doc.children.map((block, index) => {
      const part = this.#parts[index];
      return partOf(block) === part ? block : block.mark(part ? [part] : Mark.none);
    });
    return StepResult.ok(doc.copy(Fragment.fromArray(blocks)));
  }

  override invert(doc: Node): PartsStep {
    return new PartsStep(doc.children.map(partOf));
  }

  /** It is of no other document than its own. */
  override map(): null {
    return null;
  }

  override toJSON(): object {
    return { stepType: "parts", parts: this.#parts.map((part) => part?.attrs.index ?? null) };
  }
}

/** Gives a part to blocks that have none. A few of them come into that of their neighbours. */
function addParts(tr: Transaction): Transaction | null {
  const blocks = tr.doc.children;
  const parts = blocks.map(partOf);
  const isMissing = (index: number): boolean => index < blocks.length && !parts[index] && canMark(blocks[index]!);
  const missing = blocks.keys().filter(isMissing).toArray();
  if (missing.length < PART_BLOCKS) return null;
  let next = parts.reduce((least, part) => Math.max(least, 1 + (part?.attrs.index ?? -1)), 0);
  for (const first of missing) {
    if (parts[first]) continue;
    let end = first;
    while (isMissing(end) && end - first < PART_BLOCKS) end++;
    const near = end - first < PART_BLOCKS ? (parts[first - 1] ?? parts[end]) : undefined;
    parts.fill(near ?? marks.part.create({ index: next++ }), first, end);
  }
  return tr.step(new PartsStep(parts)).setMeta("addToHistory", false);
}

/** Parts of what is typed or pasted: a document does not become slower while it grows. */
export const growingParts = (): Plugin =>
  new Plugin({
    appendTransaction: (_transactions, before, { doc, tr }) =>
      doc.childCount < MIN_BLOCKS || doc.childCount === before.doc.childCount ? null : addParts(tr),
  });

/** Moves the selected blocks, or the selected items of a list, before or behind their neighbour. */
import type { Node } from "prosemirror-model";
import { type Command, NodeSelection, Selection, type Transaction } from "prosemirror-state";

/** Where a block of the document begins; its end for the number behind the last one. */
export const blockStart = (doc: Node, index: number): number => doc.resolve(0).posAtIndex(index);

/** Moves a block of the document, with the cursor, to the place before another one, or behind the last one. */
export function moveBlock(transaction: Transaction, from: number, to: number): Transaction {
  const { doc } = transaction;
  const node = doc.child(from);
  const start = blockStart(doc, from);
  const target = blockStart(doc, to);
  if (target < start || target > start + node.nodeSize)
    transaction.delete(start, start + node.nodeSize).insert(transaction.mapping.map(target), node);
  const place = target > start ? target - node.nodeSize : target;
  return transaction.setSelection(Selection.near(transaction.doc.resolve(Math.max(place, 0)), 1)).scrollIntoView();
}

export const moveBlocks =
  (step: -1 | 1): Command =>
  ({ selection, tr }, dispatch) => {
    const { $from, $to } = selection;
    let level = $from.sharedDepth(selection.to);
    while (level > 0 && $from.node(level).isTextblock) level--;
    const parent = $from.node(level);
    const first = $from.index(level);
    const last = selection instanceof NodeSelection ? first : $to.index(level);
    const place = step < 0 ? first - 1 : last + 1;
    // at the end the key does nothing, instead of what a browser has it do
    if (place < 0 || place >= parent.childCount) return true;
    const neighbour = parent.child(place);
    const start = $from.posAtIndex(first, level);
    const end = $from.posAtIndex(last + 1, level);
    // the neighbour moves, so that the selection stays
    if (step < 0) tr.delete(start - neighbour.nodeSize, start).insert(end - neighbour.nodeSize, neighbour);
    else tr.delete(end, end + neighbour.nodeSize).insert(start, neighbour);
    dispatch?.(tr.scrollIntoView());
    return true;
  };

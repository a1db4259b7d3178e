/** Replaces a document by another with a minimal change, so that the cursor and the undo history stay. */
import type { Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";

const sizeOf = (blocks: readonly Node[]): number => blocks.reduce((sum, { nodeSize }) => sum + nodeSize, 0);

/** Whole blocks are replaced: parts of them would not keep the JSON that they come from. Undo does not go back over it. */
export function replaceDoc({ doc, tr }: EditorState, next: Node): Transaction {
  const before = doc.children;
  const after = next.children;
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first]!.eq(after[first]!)) first++;
  let last = 0;
  while (last < shorter - first && before.at(-1 - last)!.eq(after.at(-1 - last)!)) last++;
  const from = sizeOf(before.slice(0, first));
  const to = sizeOf(before.slice(0, before.length - last));
  return tr.replaceWith(from, to, after.slice(first, after.length - last)).setMeta("addToHistory", false);
}

/** Links at the selection. */
import type { Mark } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";
import { marks, schema } from "./schema.ts";
import { selectedText } from "./selected.ts";

export interface LinkRange {
  readonly from: number;
  readonly to: number;
  readonly mark: Mark;
}

/** All of the link that the selection begins in. */
export function linkAt(state: EditorState): LinkRange | undefined {
  const $from = selectedText(state);
  const { parent } = $from;
  if (!parent.isTextblock) return undefined;
  const mark = [$from.nodeAfter, $from.nodeBefore]
    .map((node) => node?.marks.find(({ type }) => type === marks.link))
    .find((found) => found !== undefined);
  if (!mark) return undefined;
  const has = (index: number): boolean => mark.isInSet(parent.child(index).marks);
  let first = $from.index();
  if (first === parent.childCount || !has(first)) first--;
  let last = first;
  while (first > 0 && has(first - 1)) first--;
  while (last + 1 < parent.childCount && has(last + 1)) last++;
  const sizeUpTo = (index: number): number =>
    parent.children.slice(0, index).reduce((sum, node) => sum + node.nodeSize, $from.start());
  return { from: sizeUpTo(first), to: sizeUpTo(last + 1), mark };
}

export function canLink(state: EditorState): boolean {
  const { parent } = selectedText(state);
  return parent.isTextblock && parent.type.allowsMarkType(marks.link);
}

/** The link at the selection leads to the URL, or the selection becomes one; without either, the URL is its text. */
export function setLink(state: EditorState, url: string): Transaction {
  const { tr, selection } = state;
  const range = linkAt(state);
  if (range) {
    const mark = marks.link.create({ ...range.mark.attrs, url });
    return tr.removeMark(range.from, range.to, range.mark).addMark(range.from, range.to, mark);
  }
  const mark = marks.link.create({ url });
  if (!selection.empty) return tr.addMark(selection.from, selection.to, mark);
  return tr.replaceSelectionWith(schema.text(url, [mark]), false);
}

export function removeLink(state: EditorState): Transaction {
  const range = linkAt(state);
  return range ? state.tr.removeMark(range.from, range.to, range.mark) : state.tr;
}

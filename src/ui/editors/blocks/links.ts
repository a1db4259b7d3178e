/** Links at the selection. */
import type { Mark, Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";
import { linkTarget } from "./link-target.ts";
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

/** In a text. Punctuation at the end of a URL is not a part of it. */
const URLS = /(?<=^|\s)https?:\/\/\S*[^\s.,;:!?)\]"']/g;
const CLOSING = /[.,;:!?)\]"']*$/;

/** A line of text whose URLs are links, unless it is in one. */
export function linkedText(text: string, outer: readonly Mark[]): Node[] {
  const found = outer.some(({ type }) => type === marks.link) ? [] : [...text.matchAll(URLS)];
  const nodes: Node[] = [];
  let end = 0;
  const add = (part: string, more: readonly Mark[] = []): void => {
    if (part !== "") nodes.push(schema.text(part, [...outer, ...more]));
    end += part.length;
  };
  for (const { 0: url, index } of found) {
    if (linkTarget(url) === undefined) continue;
    add(text.slice(end, index));
    add(url, [marks.link.create({ url })]);
  }
  add(text.slice(end));
  return nodes;
}

/** The URL that stands before the cursor becomes a link; undefined where there is none, or it is one. */
export function linkTyped({ selection, tr }: EditorState): Transaction | undefined {
  const { $from, empty } = selection;
  const { nodeBefore, parent } = $from;
  if (!empty || !nodeBefore?.isText || !parent.type.allowsMarkType(marks.link)) return undefined;
  const text = nodeBefore.text!.replace(CLOSING, "");
  const [url] = /(?<=^|\s)https?:\/\/\S+$/.exec(text) ?? [];
  if (linkTarget(url) === undefined || marks.link.isInSet(nodeBefore.marks)) return undefined;
  const to = $from.pos - (nodeBefore.text!.length - text.length);
  return tr.addMark(to - url!.length, to, marks.link.create({ url }));
}

/** Where the selection begins in text. An `AllSelection` has a position outside of all blocks. */
import type { ResolvedPos } from "prosemirror-model";
import type { EditorState } from "prosemirror-state";
import { nodes } from "./schema.ts";

/** The beginning of the selection in the first block of text that it touches; where it begins, if there is none. */
export function selectedText({ selection, doc }: EditorState): ResolvedPos {
  const { $from, from, to } = selection;
  if ($from.parent.isTextblock) return $from;
  let found: number | undefined;
  doc.nodesBetween(from, to, (node, position) => {
    if (node.isTextblock) found ??= position + 1;
    return found === undefined;
  });
  return found === undefined ? $from : doc.resolve(found);
}

/** Whether Tab has a meaning here. */
export function isInList(state: EditorState): boolean {
  const $from = selectedText(state);
  return $from.depth > 0 && $from.node(1).type === nodes.list;
}

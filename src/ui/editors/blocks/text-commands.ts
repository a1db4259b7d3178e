/** Commands for keys in text: line breaks, ends of blocks and lists. */
import type { ResolvedPos } from "prosemirror-model";
import { type Command, type EditorState, TextSelection } from "prosemirror-state";
import { command, outdent, setBlock } from "./block-commands.ts";
import { nodes } from "./schema.ts";

/** The place of the cursor, if nothing is selected. */
const findCursor = ({ selection }: EditorState): ResolvedPos | undefined =>
  selection instanceof TextSelection ? (selection.$cursor ?? undefined) : undefined;

/** A line break as the block has it. */
export const breakLine: Command = (state, dispatch) => {
  const { $from } = state.selection;
  if (!$from.parent.isTextblock) return false;
  const node = $from.parent.type.spec.code ? state.schema.text("\n") : nodes.line_break.create();
  dispatch?.(state.tr.replaceSelectionWith(node, true).scrollIntoView());
  return true;
};

const endsWithBreak = ($cursor: ResolvedPos): boolean => {
  const { nodeBefore } = $cursor;
  return nodeBefore?.type === nodes.line_break || (nodeBefore?.text?.endsWith("\n") ?? false);
};

/** Enter behind "```" or "```js", which is all of a paragraph. */
export const beginCode: Command = (state, dispatch) => {
  const { parent } = findCursor(state) ?? {};
  const match = /^```([\w+#.-]*)$/.exec(parent?.textContent ?? "");
  if (!match || parent?.type !== nodes.paragraph) return false;
  const { $from } = state.selection;
  const { tr } = state;
  tr.delete($from.start(), $from.end());
  if (!setBlock(nodes.code_block, { language: match[1] || null })(tr)) return false;
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** In quotes and code Enter is a line break; at the end of a line without text, it leaves the block. */
export const breakOrLeave: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const { parent } = $from;
  if (parent.type !== nodes.quote && parent.type !== nodes.code_block) return false;
  const $cursor = findCursor(state);
  const isAtEnd = $cursor?.parentOffset === parent.content.size;
  if (!$cursor || !isAtEnd || !endsWithBreak($cursor)) return breakLine(state, dispatch);
  return leaveBlock(state, dispatch, 1);
};

/** A paragraph after the block, with the cursor in it. `dropped`: how much of the end of the block is removed. */
export function leaveBlock(state: EditorState, dispatch: Parameters<Command>[1], dropped = 0): boolean {
  const { $head } = state.selection;
  if ($head.depth === 0) return false;
  const { tr } = state;
  if (dropped > 0) tr.delete($head.pos - dropped, $head.pos);
  const after = tr.mapping.map($head.after(1));
  tr.insert(after, nodes.paragraph.create());
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, after + 1)).scrollIntoView());
  return true;
}

/** Enter in an item without text. */
export const leaveList: Command = (state, dispatch) => {
  const $cursor = findCursor(state);
  if ($cursor?.parent.type !== nodes.list_item || $cursor.parent.content.size > 0) return false;
  return command(outdent)(state, dispatch);
};

/** Backspace at the beginning of an item or another block makes it a paragraph first. */
export const resetBlock: Command = (state, dispatch) => {
  const $cursor = findCursor(state);
  if (!$cursor || $cursor.parentOffset > 0 || $cursor.parent.type === nodes.paragraph) return false;
  return command($cursor.parent.type === nodes.list_item ? outdent : setBlock(nodes.paragraph))(state, dispatch);
};

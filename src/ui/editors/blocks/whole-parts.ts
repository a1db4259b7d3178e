/**
 * Keys that move the cursor in a document that is in parts. Browsers move it past a part that is not laid out, or to its beginning:
 * all of them are laid out while such a key is handled.
 */
import { type EditorState, Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { blockStart } from "./move-blocks.ts";

const ARROW = /^Arrow/;
/** These go further than to the next line. */
const FAR = /^(?:PageUp|PageDown)$/;
const FAR_WITH_COMMAND = /^(?:Arrow\w+|Home|End)$/;

function isLaidOut(view: EditorView, { doc }: EditorState, index: number): boolean {
  if (index < 0 || index >= doc.childCount) return true;
  const block = view.nodeDOM(blockStart(doc, index));
  return !(block instanceof Element) || block.checkVisibility({ contentVisibilityAuto: true });
}

/** Whether what the key leads to may not be laid out. */
function leavesView(view: EditorView, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (FAR.test(key) || ((ctrlKey || metaKey || altKey) && FAR_WITH_COMMAND.test(key))) return true;
  if (!ARROW.test(key)) return false;
  const { state } = view;
  const index = state.selection.$head.index(0);
  return [index - 1, index, index + 1].some((near) => !isLaidOut(view, state, near));
}

export const wholeParts = (): Plugin =>
  new Plugin({
    props: {
      handleDOMEvents: {
        keydown: (view, event) => {
          const body = view.dom.parentElement;
          if (!body?.querySelector(".blocks-part") || !leavesView(view, event)) return false;
          body.classList.add("blocks-whole");
          // a frame later the browser knows how high each part is
          requestAnimationFrame(() => requestAnimationFrame(() => body.classList.remove("blocks-whole")));
          return false;
        },
      },
    },
  });

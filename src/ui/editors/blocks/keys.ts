/** Keys of the editor. Mod is Cmd on a Mac and Ctrl elsewhere. */
import { baseKeymap, chainCommands, splitBlock, toggleMark } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import { undoInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { type Command, Plugin } from "prosemirror-state";
import { command, indent, outdent, setBlock, toggleList } from "./block-commands.ts";
import { linkTyped } from "./links.ts";
import { moveBlocks } from "./move-blocks.ts";
import { marks, nodes } from "./schema.ts";
import { isInList } from "./selected.ts";
import { beginCode, breakLine, breakOrLeave, leaveBlock, leaveList, resetBlock } from "./text-commands.ts";

/** In a list the key does nothing where an item cannot move, instead of leaving the editor there only. */
const inList =
  (run: Command): Command =>
  (state, dispatch) => {
    if (!isInList(state)) return false;
    run(state, dispatch);
    return true;
  };

/** After Escape, Tab leaves the editor from a list, too. */
function tabAfterEscape(): Plugin {
  let isLeaving = false;
  return new Plugin({
    props: {
      handleDOMEvents: {
        keydown: (_view, { key }) => {
          if (key === "Tab") return isLeaving;
          if (key !== "Shift") isLeaving = key === "Escape";
          return false;
        },
        blur: () => {
          isLeaving = false;
          return false;
        },
      },
    },
  });
}

/** Enter behind a URL makes it a link, before it does what it does. */
const linkBeforeEnter = (): Plugin =>
  new Plugin({
    props: {
      handleKeyDown: (view, { key }) => {
        const linked = key === "Enter" ? linkTyped(view.state) : undefined;
        if (linked) view.dispatch(linked);
        return false;
      },
    },
  });

const headings = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((level) => [`Mod-Alt-${level}`, command(setBlock(nodes.heading, { level }))]),
);

export function editorKeys(editLink: Command): Plugin[] {
  const bindings: Record<string, Command> = {
    "Mod-b": toggleMark(marks.bold),
    "Mod-i": toggleMark(marks.italic),
    "Mod-u": toggleMark(marks.underline),
    "Mod-Shift-x": toggleMark(marks.strikethrough),
    "Mod-e": toggleMark(marks.code),
    "Mod-k": editLink,
    "Mod-z": undo,
    "Mod-Shift-z": redo,
    "Mod-y": redo,
    "Mod-Alt-0": command(setBlock(nodes.paragraph)),
    ...headings,
    "Mod-Alt-q": command(setBlock(nodes.quote)),
    "Mod-Alt-c": command(setBlock(nodes.code_block)),
    "Mod-Shift-7": command(toggleList("ordered")),
    "Mod-Shift-8": command(toggleList("unordered")),
    "Alt-ArrowUp": moveBlocks(-1),
    "Alt-ArrowDown": moveBlocks(1),
    Tab: inList(command(indent)),
    "Shift-Tab": inList(command(outdent)),
    Enter: chainCommands(leaveList, beginCode, breakOrLeave, splitBlock),
    "Shift-Enter": breakLine,
    "Mod-Enter": (state, dispatch) => leaveBlock(state, dispatch),
    Backspace: chainCommands(undoInputRule, resetBlock),
  };
  return [tabAfterEscape(), linkBeforeEnter(), keymap(bindings), keymap(baseKeymap)];
}

/** The buttons of the blocks editor, for what the selection is. */
import { toggleMark } from "prosemirror-commands";
import { redo, redoDepth, undo, undoDepth } from "prosemirror-history";
import type { Command, EditorState } from "prosemirror-state";
import { type KindChoice, type Tool, Toolbar } from "../toolbar.tsx";
import { command, indent, outdent, setBlock, toggleList } from "./block-commands.ts";
import { canLink, linkAt } from "./links.ts";
import { marks, nodes, type Style, schema } from "./schema.ts";
import { isInList, selectedText } from "./selected.ts";
import type { SlashChoice } from "./slash-menu.tsx";

const headings = [1, 2, 3, 4, 5, 6].map((level) => [`heading-${level}`, `Heading ${level}`] as const);
const blockNames = [["paragraph", "Paragraph"], ...headings, ["quote", "Quote"], ["code_block", "Code"]] as const;

/** What the select shows; empty for blocks that it has no name for. */
function blockName(state: EditorState): string {
  const { type, attrs } = selectedText(state).parent;
  const name = type === nodes.heading ? `heading-${attrs.level}` : type.name;
  return blockNames.some(([blockName]) => blockName === name) ? name : "";
}

function setNamedBlock(name: string): Command {
  const [type, level] = name.split("-");
  return command(setBlock(schema.nodes[type!]!, level ? { level: Number(level) } : {}));
}

/** What a slash offers. */
export const blockChoices: readonly SlashChoice[] = [
  ...blockNames.map(([name, label]) => ({ name, label, run: setNamedBlock(name) })),
  { name: "unordered", label: "Bulleted list", run: command(toggleList("unordered")) },
  { name: "ordered", label: "Numbered list", run: command(toggleList("ordered")) },
];

function hasStyle({ selection, storedMarks, doc }: EditorState, style: Style): boolean {
  const type = marks[style];
  if (selection.empty) return type.isInSet(storedMarks ?? selection.$from.marks()) !== undefined;
  return doc.rangeHasMark(selection.from, selection.to, type);
}

function listFormat(state: EditorState): unknown {
  const $from = selectedText(state);
  return $from.depth > 1 && $from.node(-1).type === nodes.list ? $from.node(-1).attrs.format : undefined;
}

interface StyleTool {
  readonly style: Style;
  readonly label: string;
  readonly keys: string;
}

const styleTools: readonly StyleTool[] = [
  { style: "bold", label: "Bold", keys: "Control+B" },
  { style: "italic", label: "Italic", keys: "Control+I" },
  { style: "underline", label: "Underline", keys: "Control+U" },
  { style: "strikethrough", label: "Strikethrough", keys: "Control+Shift+X" },
  { style: "code", label: "Inline code", keys: "Control+E" },
];

/** What the buttons show of the editor's state. JSON, to compare: few key presses change anything of it. */
export interface ToolbarState {
  readonly block: string;
  /** Undefined outside of lists. */
  readonly listFormat: unknown;
  readonly canIndent: boolean;
  readonly styles: readonly Style[];
  readonly isLink: boolean;
  readonly canLink: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export const toolbarState = (state: EditorState): ToolbarState => ({
  block: blockName(state),
  listFormat: listFormat(state),
  canIndent: isInList(state),
  styles: styleTools.map(({ style }) => style).filter((style) => hasStyle(state, style)),
  isLink: linkAt(state) !== undefined,
  canLink: canLink(state),
  canUndo: undoDepth(state) > 0,
  canRedo: redoDepth(state) > 0,
});

export interface BlocksToolbarProps {
  readonly state: ToolbarState;
  readonly controls: string;
  readonly isReadOnly: boolean;
  /** Runs a command on the editor, and moves the focus into it. */
  readonly run: (command: Command) => void;
  readonly onLink: () => void;
  /** Undefined where there is no media library. */
  readonly onPickImages: (() => void) | undefined;
}

export function BlocksToolbar({ state, controls, isReadOnly, run, onLink, onPickImages }: BlocksToolbarProps) {
  const tool = (label: string, icon: Tool["icon"], toolCommand: Command, rest: Partial<Tool> = {}): Tool => ({
    label,
    icon,
    run: () => run(toolCommand),
    ...rest,
    isDisabled: isReadOnly || rest.isDisabled === true,
  });
  const { block, listFormat: format, canIndent, isLink } = state;
  const styles = styleTools.map(({ style, label, keys }) =>
    tool(label, style, toggleMark(marks[style]), { keys, isPressed: state.styles.includes(style) }),
  );
  const link: Tool = {
    label: "Link",
    icon: "link",
    keys: "Control+K",
    isPressed: isLink,
    isDisabled: isReadOnly || !state.canLink,
    run: onLink,
  };
  const images: Tool[] = onPickImages
    ? [{ label: "Image", icon: "image", isDisabled: isReadOnly, run: onPickImages }]
    : [];
  const groups: readonly (readonly Tool[])[] = [
    [...styles, link],
    [
      tool("Bulleted list", "unordered", command(toggleList("unordered")), {
        keys: "Control+Shift+8",
        isPressed: format === "unordered",
      }),
      tool("Numbered list", "ordered", command(toggleList("ordered")), {
        keys: "Control+Shift+7",
        isPressed: format === "ordered",
      }),
      tool("Decrease indent", "outdent", command(outdent), { isDisabled: !canIndent }),
      tool("Increase indent", "indent", command(indent), { isDisabled: !canIndent }),
    ],
    [
      ...images,
      tool("Undo", "undo", undo, { keys: "Control+Z", isDisabled: !state.canUndo }),
      tool("Redo", "redo", redo, { keys: "Control+Shift+Z", isDisabled: !state.canRedo }),
    ],
  ];
  const other = block === "" ? ([["", format === undefined ? "Block" : "List"]] as const) : [];
  const kind: KindChoice = {
    label: "Block type",
    value: block,
    kinds: [...other, ...blockNames],
    isDisabled: isReadOnly,
    choose: (value) => run(setNamedBlock(value)),
  };
  return <Toolbar label="Text" controls={controls} groups={groups} kind={kind} />;
}

/** Undo and redo in the toolbar of a CodeMirror editor. */
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import type { EditorState, StateCommand } from "@codemirror/state";
import type { Tool } from "../toolbar.tsx";

export interface HistoryState {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export const historyState = (state: EditorState): HistoryState => ({
  canUndo: undoDepth(state) > 0,
  canRedo: redoDepth(state) > 0,
});

/** Both tools. `run` executes a command in the editor. */
export const historyTools = (
  { canUndo, canRedo }: HistoryState,
  isDisabled: boolean,
  run: (command: StateCommand) => void,
): readonly Tool[] => [
  { label: "Undo", icon: "undo", keys: "Control+Z", isDisabled: isDisabled || !canUndo, run: () => run(undo) },
  { label: "Redo", icon: "redo", keys: "Control+Shift+Z", isDisabled: isDisabled || !canRedo, run: () => run(redo) },
];

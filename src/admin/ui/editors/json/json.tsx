/** The editor of JSON, with the place of an error. */
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import type { StateCommand } from "@codemirror/state";
import { render } from "preact";
import { CodeView } from "../code/code-view.ts";
import { element, uniqueId } from "../dom.ts";
import type { Editor, EditorOptions, EditorState, InputProblem, Mount } from "../editor.ts";
import { type Tool, Toolbar } from "../toolbar.tsx";
import { parseJson } from "./json-error.ts";

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : JSON.stringify(value, undefined, 2);

const diagnostics = (text: string): Diagnostic[] => {
  const parsed = parseJson(text);
  if (!("error" in parsed)) return [];
  const { message, offset } = parsed.error;
  return [{ from: offset, to: Math.min(offset + 1, text.length), severity: "error", message }];
};

class JsonEditor implements Editor<unknown> {
  readonly #options: EditorOptions<unknown>;
  readonly #parent: HTMLElement;
  readonly #head = element("div");
  readonly #code: CodeView;
  readonly #id = uniqueId("json");
  #field: EditorState<unknown>;
  #hasProblem = false;
  /** The state of the toolbar as last rendered. */
  #shownTools = "";

  constructor(parent: HTMLElement, options: EditorOptions<unknown>) {
    const { value, text, readOnly = false, invalid = false, describedBy } = options;
    this.#options = options;
    this.#parent = parent;
    this.#field = { value, readOnly, invalid, describedBy };
    const body = element("div", { id: this.#id, class: "code-body" });
    parent.replaceChildren(element("div", { class: "editor json-editor" }, this.#head, body));
    this.#code = new CodeView(
      body,
      {
        ...options,
        text: text ?? textOf(value),
        extensions: [
          json(),
          bracketMatching(),
          linter(({ state }) => diagnostics(state.sliceDoc()), { delay: 250 }),
          lintGutter(),
        ],
        onText: (next) => this.#change(next),
        onUpdate: () => this.#renderHead(),
      },
      this.#field,
    );
    this.#renderHead();
    if (text !== undefined) this.#change(text);
  }

  update(changes: Partial<EditorState<unknown>>): void {
    const before = this.#field;
    this.#field = { ...before, ...changes };
    if ("value" in changes && changes.value !== before.value) {
      this.#code.setText(textOf(changes.value));
      this.#setProblem(undefined);
    }
    this.#code.setStatus(this.#field);
    this.#renderHead();
  }

  focus(): void {
    this.#code.view.focus();
  }

  destroy(): void {
    render(null, this.#head);
    this.#code.destroy();
    this.#parent.replaceChildren();
  }

  #change(text: string): void {
    const parsed = parseJson(text);
    if ("error" in parsed) {
      const { message, offset } = parsed.error;
      const before = text.slice(0, offset);
      const lineStart = before.lastIndexOf("\n") + 1;
      this.#setProblem({ message, line: before.split("\n").length, column: offset - lineStart + 1, text });
      return;
    }
    this.#setProblem(undefined);
    this.#field = { ...this.#field, value: parsed.value };
    this.#options.onChange(parsed.value);
  }

  #setProblem(problem: InputProblem | undefined): void {
    if (problem === undefined && !this.#hasProblem) return;
    this.#hasProblem = problem !== undefined;
    this.#options.onProblem?.(problem);
  }

  /** The same value, laid out. */
  #format(): void {
    const parsed = parseJson(this.#code.text);
    if ("value" in parsed) this.#code.setText(textOf(parsed.value), { isUndoable: true });
    this.focus();
  }

  #renderHead(): void {
    // CodeMirror calls before it has returned from its constructor
    const view = this.#code?.view;
    if (!view) return;
    const { readOnly: isReadOnly } = this.#field;
    const [canUndo, canRedo] = [undoDepth(view.state) > 0, redoDepth(view.state) > 0];
    // most key presses change nothing of it
    const shown = [isReadOnly, this.#hasProblem, canUndo, canRedo].join();
    if (shown === this.#shownTools) return;
    this.#shownTools = shown;
    const run = (command: StateCommand) => () => {
      command(view);
      view.focus();
    };
    const tools: readonly Tool[] = [
      { label: "Format", icon: "format", isDisabled: isReadOnly || this.#hasProblem, run: () => this.#format() },
      {
        label: "Undo",
        icon: "undo",
        keys: "Control+Z",
        isDisabled: isReadOnly || !canUndo,
        run: run(undo),
      },
      {
        label: "Redo",
        icon: "redo",
        keys: "Control+Shift+Z",
        isDisabled: isReadOnly || !canRedo,
        run: run(redo),
      },
    ];
    render(<Toolbar label="JSON" controls={this.#id} groups={[tools]} />, this.#head);
  }
}

export const mount: Mount<unknown> = (parent, options) => new JsonEditor(parent, options);

/** The editor of JSON, with the place of an error. */
import { json } from "@codemirror/lang-json";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { render } from "preact";
import { CodeView } from "../code/code-view.ts";
import { historyState, historyTools } from "../code/history-tools.ts";
import { element, uniqueId } from "../dom.ts";
import type { Editor, EditorOptions, EditorState, Mount } from "../editor.ts";
import { type Tool, Toolbar } from "../toolbar.tsx";
import { describeJsonError, type JsonError, jsonError } from "./json-error.ts";
import { jsonText, parseJsonText } from "./json-text.ts";

/** Between the last key and the check of the text. */
const PAUSE_MS = 250;

/** Values that are no text were not typed here, such as those of an attribute that had another type. */
const formatText = (value: unknown): string => (typeof value === "string" ? value : (jsonText(value) ?? ""));

const toDiagnostic = ({ message, offset }: JsonError, text: string): Diagnostic => ({
  from: offset,
  to: Math.min(offset + 1, text.length),
  severity: "error",
  message,
});

class JsonEditor implements Editor<unknown> {
  readonly #options: EditorOptions<unknown>;
  readonly #parent: HTMLElement;
  readonly #head = element("div", { class: "editor-head" });
  readonly #code: CodeView;
  readonly #id = uniqueId("json");
  /** With the value that was set or read last. */
  #field: EditorState<unknown>;
  /** Whether the text was JSON when it was checked last. */
  #hasProblem = false;
  #isEdited = false;
  /** The state of the toolbar as last rendered. */
  #shownTools = "";

  constructor(parent: HTMLElement, options: EditorOptions<unknown>) {
    const { value, readOnly = false, invalid = false, describedBy } = options;
    this.#options = options;
    this.#parent = parent;
    this.#field = { value, readOnly, invalid, describedBy };
    const body = element("div", { id: this.#id, class: "code-body" });
    parent.replaceChildren(element("div", { class: "editor" }, this.#head, body));
    this.#code = new CodeView(
      body,
      {
        ...options,
        text: formatText(value),
        extensions: [json(), bracketMatching(), linter(() => this.#check(), { delay: PAUSE_MS }), lintGutter()],
        onChange: () => {
          this.#isEdited = true;
          options.onChange();
        },
        onUpdate: () => this.#renderHead(),
      },
      this.#field,
    );
    this.#renderHead();
  }

  read(): unknown {
    const { text } = this.#code;
    const value = text === "" ? null : text;
    this.#field = { ...this.#field, value };
    return value;
  }

  update(changes: Partial<EditorState<unknown>>): void {
    const before = this.#field;
    this.#field = { ...before, ...changes };
    if ("value" in changes && changes.value !== before.value) this.#code.setText(formatText(changes.value));
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

  /** Called when typing pauses. */
  #check(): readonly Diagnostic[] {
    const { text } = this.#code;
    const error = jsonError(text);
    const isReported = error !== undefined || this.#hasProblem || this.#isEdited;
    this.#hasProblem = error !== undefined;
    this.#isEdited = false;
    // an error of the server stays until the text is changed
    if (isReported) this.#options.onProblem?.(error && describeJsonError(error, text));
    this.#renderHead();
    return error ? [toDiagnostic(error, text)] : [];
  }

  /** The same value, laid out. */
  #format(): void {
    const { text } = this.#code;
    if (!jsonError(text)) this.#code.setText(formatText(jsonText(parseJsonText(text))), { isUndoable: true });
    this.focus();
  }

  #renderHead(): void {
    // CodeMirror calls before it has returned from its constructor
    const view = this.#code?.view;
    if (!view) return;
    const { readOnly: isReadOnly } = this.#field;
    const history = historyState(view.state);
    // most key presses change nothing of it
    const shown = [isReadOnly, this.#hasProblem, history.canUndo, history.canRedo].join();
    if (shown === this.#shownTools) return;
    this.#shownTools = shown;
    const tools: readonly Tool[] = [
      { label: "Format", icon: "format", isDisabled: isReadOnly || this.#hasProblem, run: () => this.#format() },
      ...historyTools(history, isReadOnly, (command) => {
        command(view);
        view.focus();
      }),
    ];
    render(<Toolbar label="JSON" controls={this.#id} groups={[tools]} />, this.#head);
  }
}

export const mount: Mount<unknown> = (parent, options) => new JsonEditor(parent, options);

/** CodeMirror in a field. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension, type Text, Transaction } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { EditorOptions } from "../editor.ts";
import { ignoreInputSelections } from "../input-selections.ts";
import { setOwnLayout } from "../own-layout.ts";
import { documentRoot } from "./document-root.ts";
import { findTools } from "./find-tools.ts";
import { TypingView } from "./typing-view.ts";

const theme = EditorView.theme({
  "&": { color: "var(--text)", fontSize: "0.92em" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", maxHeight: "60vh", overflow: "auto" },
  ".cm-content": { minHeight: "7rem", padding: "10px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 14px" },
  ".cm-gutters": { background: "none", border: "none", color: "var(--muted)" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    background: "var(--raised)",
    color: "var(--text)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--danger)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.heading, tags.strong], fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url, tags.propertyName], color: "var(--accent)" },
  { tag: [tags.string, tags.monospace], color: "var(--success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
  { tag: [tags.processingInstruction, tags.quote, tags.punctuation, tags.contentSeparator], color: "var(--muted)" },
]);

/**
 * Typing over a selection. The browser would do it first, with a style of its own in between, which the page's policy
 * refuses and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state, composing } = view;
    const { inputType, data } = event as InputEvent;
    if (inputType !== "insertText" || !data || composing || state.readOnly || state.selection.main.empty) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

/**
 * Text that the browser has inserted, and scrolled to. CodeMirror would scroll to it again, and measure everything once more
 * for that.
 */
const insertedByBrowser = EditorView.inputHandler.of((view, from, to, text, insert) => {
  const isInView = from >= view.viewport.from && to <= view.viewport.to;
  if (from !== to || !isInView || /[\r\n]/.test(text)) return false;
  const transaction = insert();
  view.dispatch({
    changes: transaction.changes,
    selection: transaction.newSelection,
    annotations: Transaction.userEvent.of(transaction.annotation(Transaction.userEvent) ?? "input.type"),
  });
  return true;
});

/** Marks changes that come from outside. */
const External = Annotation.define<true>();

export interface CodeViewOptions extends Pick<EditorOptions<unknown>, "labelledBy" | "required" | "lang"> {
  readonly text: string;
  readonly extensions: readonly Extension[];
  /** Called with each change of the user's. */
  readonly onChange: () => void;
  /** Called after each change of text or selection. */
  readonly onUpdate?: () => void;
}

export interface FieldStatus {
  readonly readOnly: boolean;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

/** `\r\n` if all line ends are; mixed ones are left unchanged. */
const detectSeparator = (text: string): string =>
  /\r\n/.test(text) && !/[^\r]\n|^\n|\r[^\n]/.test(text) ? "\r\n" : "\n";

export class CodeView {
  readonly view: EditorView;
  readonly #options: CodeViewOptions;
  readonly #status = new Compartment();
  readonly #separator: string;
  #shown: FieldStatus;
  /** The text of the last document for which it was needed. */
  #sliced: { readonly doc: Text; readonly text: string } | undefined;

  constructor(parent: HTMLElement, options: CodeViewOptions, status: FieldStatus) {
    this.#options = options;
    this.#shown = status;
    this.#separator = detectSeparator(options.text);
    this.view = new TypingView({ parent, root: documentRoot, state: this.#createState(options.text, status) });
    setOwnLayout(parent, this.view.dom);
    ignoreInputSelections();
  }

  get text(): string {
    const { state } = this.view;
    if (this.#sliced?.doc !== state.doc) this.#sliced = { doc: state.doc, text: state.sliceDoc() };
    return this.#sliced.text;
  }

  /** Replaces the part that differs, without calling `onChange`. Added to the undo history only if `isUndoable`. */
  setText(text: string, { isUndoable = false } = {}): void {
    const before = this.text;
    if (text === before) return;
    let start = 0;
    while (start < before.length && before[start] === text[start]) start++;
    let end = 0;
    const shorter = Math.min(before.length, text.length) - start;
    while (end < shorter && before.at(-1 - end) === text.at(-1 - end)) end++;
    const { state } = this.view;
    // a position counts a line end as one character, `\r\n` too
    const measureLength = (part: string): number => state.toText(part).length;
    const from = measureLength(before.slice(0, start));
    const insert = state.toText(text.slice(start, text.length - end));
    const to = state.doc.length - measureLength(before.slice(before.length - end));
    this.view.dispatch({
      changes: { from, to, insert },
      annotations: [External.of(true), Transaction.addToHistory.of(isUndoable)],
    });
  }

  setStatus(status: FieldStatus): void {
    const { readOnly, invalid, describedBy } = this.#shown;
    // pages call with each key, and a new configuration is expensive
    if (status.readOnly === readOnly && status.invalid === invalid && status.describedBy === describedBy) return;
    this.#shown = status;
    this.view.dispatch({ effects: this.#status.reconfigure(this.#createStatus(status)) });
  }

  destroy(): void {
    this.view.destroy();
  }

  #createState(text: string, status: FieldStatus): EditorState {
    const { extensions, onChange, onUpdate } = this.#options;
    return EditorState.create({
      doc: text,
      extensions: [
        EditorState.lineSeparator.of(this.#separator),
        // the clipboard has the system's line ends
        EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, this.#separator)),
        typeOverSelection,
        insertedByBrowser,
        highlightSpecialChars(),
        history(),
        EditorView.lineWrapping,
        theme,
        syntaxHighlighting(colours),
        ...extensions,
        findTools,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        this.#status.of(this.#createStatus(status)),
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          if (docChanged && !transactions.some((transaction) => transaction.annotation(External))) onChange();
          onUpdate?.();
        }),
      ],
    });
  }

  #createStatus({ readOnly, invalid, describedBy }: FieldStatus): Extension {
    const { labelledBy, required = false, lang } = this.#options;
    return [
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({
        // it has the focus of the part that scrolls, which tools see by this attribute only
        tabindex: "0",
        "aria-labelledby": labelledBy,
        "aria-required": String(required),
        "aria-invalid": String(invalid),
        "aria-readonly": String(readOnly),
        ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
        ...(lang === undefined ? {} : { lang }),
      }),
    ];
  }
}

/** The editor of Markdown: text, a toolbar for what it can say, and a preview. */

import { openSearchPanel } from "@codemirror/search";
import { Prec, type StateCommand } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { render } from "preact";
import { errorMessage } from "../../api/client.ts";
import { CodeView } from "../code/code-view.ts";
import { historyState, historyTools } from "../code/history-tools.ts";
import { element, uniqueId } from "../dom.ts";
import {
  type Editor,
  type EditorOptions,
  type EditorState,
  type MediaFile,
  type Mount,
  WITHOUT_IMAGES,
} from "../editor.ts";
import { type KindChoice, type Tool, Toolbar } from "../toolbar.tsx";
import { markdownLanguage } from "./language.ts";
import {
  continueLine,
  headingLevel,
  insertCode,
  insertLines,
  insertLink,
  linkUrl,
  setHeading,
  toggleBullets,
  toggleNumbers,
  toggleQuote,
  toggleSign,
} from "./text-commands.ts";

const toText = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

const imageText = ({ url, name, alternativeText }: MediaFile): string => {
  const text = String(alternativeText || name || "").replace(/[[\]\\]/g, "\\$&");
  return `![${text}](${linkUrl(String(url ?? ""))})`;
};

interface TextTool {
  readonly label: string;
  readonly icon: Tool["icon"];
  readonly keys?: string;
  readonly command: StateCommand;
}

const styleTools: readonly TextTool[] = [
  { label: "Bold", icon: "bold", keys: "Control+B", command: toggleSign("**") },
  { label: "Italic", icon: "italic", keys: "Control+I", command: toggleSign("_") },
  { label: "Strikethrough", icon: "strikethrough", keys: "Control+Shift+X", command: toggleSign("~~") },
  { label: "Inline code", icon: "code", keys: "Control+E", command: toggleSign("`") },
  { label: "Link", icon: "link", keys: "Control+K", command: insertLink },
];

const lineTools: readonly TextTool[] = [
  { label: "Bulleted list", icon: "unordered", keys: "Control+Shift+8", command: toggleBullets },
  { label: "Numbered list", icon: "ordered", keys: "Control+Shift+7", command: toggleNumbers },
  { label: "Quote", icon: "quote", command: toggleQuote },
  { label: "Code block", icon: "codeBlock", command: insertCode },
];

const lineKinds = ["Text", ...[1, 2, 3, 4, 5, 6].map((level) => `Heading ${level}`)].map(
  (label, level) => [String(level), label] as const,
);

/** "Control+Shift+X" as CodeMirror names it. */
const createBinding = ({ keys, command }: TextTool) => {
  const parts = keys!.replace("Control", "Mod").split("+");
  return { key: [...parts.slice(0, -1), parts.at(-1)!.toLowerCase()].join("-"), run: command, preventDefault: true };
};

const keys = [
  { key: "Enter", run: continueLine },
  ...[...styleTools, ...lineTools].filter(({ keys }) => keys !== undefined).map(createBinding),
];

/** It is prose, where CodeMirror expects code: browsers check the spelling, and each line has the direction of its text. */
const prose = [
  EditorView.contentAttributes.of({ spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" }),
  EditorView.perLineTextDirection.of(true),
  EditorView.theme({ ".cm-line": { textAlign: "start", unicodeBidi: "plaintext" } }),
];

class MarkdownEditor implements Editor<unknown> {
  readonly #options: EditorOptions<unknown>;
  readonly #parent: HTMLElement;
  readonly #id = uniqueId("markdown");
  readonly #head = element("div", { class: "editor-head" });
  readonly #body = element("div", { id: this.#id, class: "code-body" });
  readonly #preview = element("div", { class: "rich-text", role: "region", "aria-label": "Preview" });
  readonly #code: CodeView;
  /** With the value that was set or read last. */
  #field: EditorState<unknown>;
  /** The state of the toolbar as last rendered. */
  #shownTools = "";
  #isPreview = false;
  #isDestroyed = false;

  constructor(parent: HTMLElement, options: EditorOptions<unknown>) {
    const { value, readOnly = false, invalid = false, describedBy } = options;
    this.#options = options;
    this.#parent = parent;
    this.#field = { value, readOnly, invalid, describedBy };
    this.#preview.hidden = true;
    this.#preview.lang = options.lang ?? "";
    parent.replaceChildren(element("div", { class: "editor" }, this.#head, this.#body, this.#preview));
    this.#code = new CodeView(
      this.#body,
      {
        ...options,
        text: toText(value),
        extensions: [
          Prec.high(keymap.of(keys)),
          markdownLanguage,
          prose,
          EditorView.domEventHandlers({
            paste: (event, view) => this.#handleFiles(event, event.clipboardData) || this.#readHtml(event, view),
            drop: (event) => this.#handleFiles(event, event.dataTransfer),
          }),
        ],
        onUpdate: () => this.#renderHead(),
      },
      this.#field,
    );
    this.#renderHead();
  }

  read(): unknown {
    const { text } = this.#code;
    // as other fields of text: none is null
    const value = text === "" ? null : text;
    this.#field = { ...this.#field, value };
    return value;
  }

  update(changes: Partial<EditorState<unknown>>): void {
    const before = this.#field;
    this.#field = { ...before, ...changes };
    if ("value" in changes && changes.value !== before.value) {
      this.#code.setText(toText(changes.value));
      if (this.#isPreview) void this.#renderPreview();
    }
    this.#code.setStatus(this.#field);
  }

  focus(): void {
    this.#code.view.focus();
  }

  destroy(): void {
    this.#isDestroyed = true;
    render(null, this.#head);
    this.#code.destroy();
    this.#parent.replaceChildren();
  }

  readonly #run = (command: StateCommand): void => {
    command(this.#code.view);
    this.focus();
  };

  /** Images among what is dropped or pasted; text is CodeMirror's. */
  #handleFiles(event: Event, data: DataTransfer | null): boolean {
    const { uploadImages } = this.#options;
    const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
    if (!uploadImages || this.#field.readOnly || files.length === 0 || data?.getData("text/plain")) return false;
    event.preventDefault();
    void this.#insertImages(() => uploadImages(files));
    return true;
  }

  /**
   * HTML is inserted as its text by CodeMirror, which its Markdown then replaces: what reads it is loaded with the first of it,
   * and undo goes back to the text.
   */
  #readHtml({ clipboardData }: ClipboardEvent, view: EditorView): boolean {
    const html = clipboardData?.getData("text/html") ?? "";
    const { ranges, main } = view.state.selection;
    if (this.#field.readOnly || ranges.length > 1 || html === "") return false;
    const behind = view.state.doc.length - main.to;
    queueMicrotask(() => void this.#replacePasted(html, main.from, view.state.doc.length - behind));
    return false;
  }

  async #replacePasted(html: string, from: number, to: number): Promise<void> {
    const { view } = this.#code;
    const pasted = view.state.sliceDoc(from, to);
    try {
      const { htmlMarkdown } = await import("./from-html.ts");
      const found = htmlMarkdown(html);
      const isThere = !this.#isDestroyed && view.state.sliceDoc(from, to) === pasted;
      if (!found || !isThere) return;
      if (found.hasImages) this.#options.onError?.(WITHOUT_IMAGES);
      view.dispatch(insertLines(view.state, found.text, { from, to }, found.isLine ? "" : undefined));
    } catch (error) {
      this.#options.onError?.(errorMessage(error));
    }
  }

  async #insertImages(files: () => Promise<readonly MediaFile[] | undefined>): Promise<void> {
    try {
      const chosen = await files();
      if (this.#isDestroyed || !chosen || chosen.length === 0) return;
      const { view } = this.#code;
      view.dispatch(insertLines(view.state, chosen.map(imageText).join("\n\n")));
      this.focus();
    } catch (error) {
      this.#options.onError?.(errorMessage(error));
    }
  }

  #togglePreview(): void {
    this.#isPreview = !this.#isPreview;
    this.#preview.hidden = !this.#isPreview;
    this.#body.hidden = this.#isPreview;
    this.#renderHead();
    if (this.#isPreview) void this.#renderPreview();
    else this.focus();
  }

  async #renderPreview(): Promise<void> {
    try {
      const { renderPreview } = await import("./preview.ts");
      if (!this.#isDestroyed) this.#preview.replaceChildren(...renderPreview(this.#code.text));
    } catch (error) {
      this.#options.onError?.(errorMessage(error));
    }
  }

  #renderHead(): void {
    // CodeMirror calls before it has returned from its constructor
    const view = this.#code?.view;
    if (!view) return;
    const { state } = view;
    const isDisabled = this.#field.readOnly || this.#isPreview;
    const [level, history] = [headingLevel(state), historyState(state)];
    // most key presses change nothing of it
    const shown = [level, history.canUndo, history.canRedo, isDisabled, this.#isPreview].join();
    if (shown === this.#shownTools) return;
    this.#shownTools = shown;
    const { pickImages } = this.#options;
    const createTool = ({ command, ...tool }: TextTool): Tool => ({
      ...tool,
      isDisabled,
      run: () => this.#run(command),
    });
    const image: Tool[] = pickImages
      ? [{ label: "Image", icon: "image", isDisabled, run: () => void this.#insertImages(pickImages) }]
      : [];
    const groups: readonly (readonly Tool[])[] = [
      styleTools.map(createTool),
      [...lineTools.map(createTool), ...image],
      [
        ...historyTools(history, isDisabled, this.#run),
        {
          label: "Find and replace",
          icon: "find",
          keys: "Control+F",
          isDisabled: this.#isPreview,
          run: () => openSearchPanel(this.#code.view),
        },
        { label: "Preview", icon: "preview", isPressed: this.#isPreview, run: () => this.#togglePreview() },
      ],
    ];
    const kind: KindChoice = {
      label: "Line type",
      value: String(level),
      kinds: lineKinds,
      isDisabled,
      choose: (level) => this.#run(setHeading(Number(level))),
    };
    render(<Toolbar label="Text" controls={this.#id} groups={groups} kind={kind} />, this.#head);
  }
}

export const mount: Mount<unknown> = (parent, options) => new MarkdownEditor(parent, options);

/** The editor of blocks: `mount` is what the page calls. */

import { render } from "preact";
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history } from "prosemirror-history";
import type { Node } from "prosemirror-model";
import { type Command, EditorState, type Plugin, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { errorMessage } from "../../api/client.ts";
import { element, uniqueId } from "../dom.ts";
import type { Editor, EditorOptions, EditorState as FieldState, MediaFile, Mount } from "../editor.ts";
import { ignoreInputSelections } from "../input-selections.ts";
import { setOwnLayout } from "../own-layout.ts";
import { blockHandle } from "./block-handle.tsx";
import { clipboard } from "./clipboard.ts";
import { insertImages } from "./images.ts";
import { markdownRules } from "./input-rules.ts";
import { editorKeys } from "./keys.ts";
import { LinkForm } from "./link-form.tsx";
import { canLink, linkAt, removeLink, setLink } from "./links.ts";
import { nodeViews } from "./node-views.ts";
import { growingParts, isSameBlock } from "./parts.ts";
import { readBlocks } from "./read.ts";
import { type SlashChoice, slashMenu } from "./slash-menu.tsx";
import { BlocksToolbar, blockChoices, toolbarState } from "./toolbar.tsx";
import { wholeParts } from "./whole-parts.ts";
import { writeValue } from "./write.ts";

const sizeOf = (blocks: readonly Node[]): number => blocks.reduce((sum, { nodeSize }) => sum + nodeSize, 0);

/** In pixels, from the edges of the view: the heads of the page and of the editor stay above the text. */
const UNDER_HEADS = { top: 112, right: 5, bottom: 5, left: 5 };

/** Whole blocks are replaced: parts of them would not keep the JSON that they come from. Undo does not go back over it. */
function replaceDoc({ doc, tr }: EditorState, next: Node): Transaction {
  const before = doc.children;
  const after = next.children;
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && isSameBlock(before[first]!, after[first]!)) first++;
  let last = 0;
  while (last < shorter - first && isSameBlock(before.at(-1 - last)!, after.at(-1 - last)!)) last++;
  const from = sizeOf(before.slice(0, first));
  const to = sizeOf(before.slice(0, before.length - last));
  return tr.replaceWith(from, to, after.slice(first, after.length - last)).setMeta("addToHistory", false);
}

export class BlocksEditor implements Editor<unknown> {
  readonly #options: EditorOptions<unknown>;
  readonly #parent: HTMLElement;
  readonly #head = element("div");
  readonly #linkLine = element("div");
  readonly #id = uniqueId("blocks");
  readonly #view: EditorView;
  /** With the value that was set or read last. */
  #field: FieldState<unknown>;
  /** The value that was set last, and the document that was parsed from it. */
  #source: { readonly value: unknown; readonly doc: Node };
  /** The state of the toolbar as last rendered. */
  #shownTools = "";
  /** During the update for text that the browser has inserted, and scrolled to: measuring it again would be slow. */
  #isInsertedByBrowser = false;
  #isLinkOpen = false;

  /** `morePlugins` are made for the document that is shown first. */
  constructor(
    parent: HTMLElement,
    options: EditorOptions<unknown>,
    morePlugins: (doc: Node) => readonly Plugin[] = () => [],
  ) {
    const { value, readOnly = false, describedBy, invalid = false } = options;
    this.#options = options;
    this.#parent = parent;
    this.#field = { value, readOnly, describedBy, invalid };
    this.#source = { value, doc: readBlocks(value) };
    const head = element("div", { class: "editor-head" }, this.#head, this.#linkLine);
    const body = element("div", { class: "blocks-body" });
    parent.replaceChildren(element("div", { class: "editor blocks-editor" }, head, body));
    this.#view = new EditorView(body, {
      state: EditorState.create({
        doc: this.#source.doc,
        plugins: [...this.#plugins(), ...morePlugins(this.#source.doc)],
      }),
      nodeViews: { ...nodeViews },
      editable: () => !this.#field.readOnly,
      attributes: () => this.#attributes(),
      handleDOMEvents: { input: () => this.#onInput() },
      handleScrollToSelection: () => this.#isInsertedByBrowser,
      scrollThreshold: UNDER_HEADS,
      scrollMargin: UNDER_HEADS,
      dispatchTransaction: (transaction) => this.#apply(transaction),
    });
    setOwnLayout(body, this.#view.dom);
    ignoreInputSelections();
    this.#renderHead();
  }

  read(): unknown {
    const value = writeValue(this.#view.state.doc, this.#source);
    this.#field = { ...this.#field, value };
    return value;
  }

  update(changes: Partial<FieldState<unknown>>): void {
    const before = this.#field;
    this.#field = { ...before, ...changes };
    if ("value" in changes && changes.value !== before.value) {
      this.#source = { value: changes.value, doc: readBlocks(changes.value) };
      this.#view.updateState(this.#view.state.apply(replaceDoc(this.#view.state, this.#source.doc)));
      this.#renderHead();
    }
    const isShown = (["readOnly", "invalid", "describedBy"] as const).every((key) => before[key] === this.#field[key]);
    if (isShown) return;
    this.#view.setProps({});
    this.#renderHead();
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    render(null, this.#head);
    render(null, this.#linkLine);
    this.#view.destroy();
    this.#parent.replaceChildren();
  }

  get #slashChoices(): readonly SlashChoice[] {
    const { pickImages } = this.#options;
    if (!pickImages) return blockChoices;
    const run = (): boolean => {
      void this.#insertImages(pickImages);
      return true;
    };
    return [...blockChoices, { name: "image", label: "Image", run }];
  }

  #plugins() {
    const { uploadImages } = this.#options;
    return [
      clipboard({
        insertFiles: uploadImages && ((_view, files) => void this.#insertImages(() => uploadImages(files))),
        onError: (message) => this.#options.onError?.(message),
      }),
      slashMenu(this.#id, () => (this.#field.readOnly ? [] : this.#slashChoices)),
      markdownRules(),
      ...editorKeys(() => this.#openLink()),
      history(),
      dropCursor({ class: "drop-cursor", color: false }),
      gapCursor(),
      blockHandle(),
      growingParts(),
      wholeParts(),
    ];
  }

  #attributes(): Record<string, string> {
    const { labelledBy, required = false, lang } = this.#options;
    const { describedBy, invalid, readOnly } = this.#field;
    return {
      id: this.#id,
      class: "rich-text blocks-content",
      role: "textbox",
      "aria-multiline": "true",
      "aria-labelledby": labelledBy,
      "aria-required": String(required),
      "aria-invalid": String(invalid),
      "aria-readonly": String(readOnly),
      ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
      ...(lang === undefined ? {} : { lang }),
      ...(readOnly ? { tabindex: "0" } : {}),
    };
  }

  /** ProseMirror reads what the browser has inserted in a microtask that is already queued. */
  #onInput(): boolean {
    this.#isInsertedByBrowser = true;
    queueMicrotask(() => {
      this.#isInsertedByBrowser = false;
    });
    return false;
  }

  #apply(transaction: Transaction): void {
    const state = this.#view.state.apply(transaction);
    this.#view.updateState(state);
    if (transaction.docChanged) this.#options.onChange();
    this.#renderHead();
  }

  readonly #run = (command: Command): void => {
    command(this.#view.state, this.#view.dispatch, this.#view);
    this.#view.focus();
  };

  /** Also a command: Ctrl+K. */
  #openLink(): boolean {
    if (this.#field.readOnly || !canLink(this.#view.state)) return false;
    this.#isLinkOpen = true;
    this.#renderLink();
    return true;
  }

  #closeLink(transaction?: Transaction): void {
    this.#isLinkOpen = false;
    this.#renderLink();
    if (transaction) this.#view.dispatch(transaction);
    this.#view.focus();
  }

  async #insertImages(files: () => Promise<readonly MediaFile[] | undefined>): Promise<void> {
    try {
      const chosen = await files();
      if (this.#view.isDestroyed) return;
      this.#view.dispatch(insertImages(this.#view.state, chosen ?? []));
      this.#view.focus();
    } catch (error) {
      this.#options.onError?.(errorMessage(error));
    }
  }

  /** At once: the next key is meant for the form. */
  #renderLink(): void {
    if (!this.#isLinkOpen) return render(null, this.#linkLine);
    const url = String(linkAt(this.#view.state)?.mark.attrs.url ?? "");
    render(
      <LinkForm
        url={url}
        onSet={(target) => this.#closeLink(setLink(this.#view.state, target))}
        onRemove={() => this.#closeLink(removeLink(this.#view.state))}
        onClose={() => this.#closeLink()}
      />,
      this.#linkLine,
    );
  }

  #renderHead(): void {
    const { pickImages } = this.#options;
    const { readOnly } = this.#field;
    const state = toolbarState(this.#view.state);
    const shown = JSON.stringify([state, readOnly]);
    if (shown === this.#shownTools) return;
    this.#shownTools = shown;
    render(
      <BlocksToolbar
        state={state}
        controls={this.#id}
        isReadOnly={readOnly}
        run={this.#run}
        onLink={() => this.#openLink()}
        onPickImages={pickImages && (() => void this.#insertImages(pickImages))}
      />,
      this.#head,
    );
  }
}

export const mount: Mount<unknown> = (parent, options) => new BlocksEditor(parent, options);

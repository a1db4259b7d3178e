/**
 * Copying, pasting and dropping. ProseMirror would parse HTML with `innerHTML`, which Trusted Types forbid: the events of
 * pasting and dropping are handled before they reach it.
 */
import type { Slice } from "prosemirror-model";
import { Plugin, Selection, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { BLOCKS_TYPE, linkSelection, sliceFromHtml, sliceFromJson, sliceFromText, sliceToJson } from "./paste.ts";

interface ClipboardOptions {
  /** Inserts images at the selection; undefined where there is no library for them. */
  readonly insertFiles: ((view: EditorView, files: readonly File[]) => void) | undefined;
}

/** Loaded with the first paste. */
const loadHtmlReader = () => import("./html.ts");

const insert = (view: EditorView, transaction: Transaction): void =>
  view.dispatch(transaction.scrollIntoView().setMeta("paste", true).setMeta("uiEvent", "paste"));

function insertSlice(view: EditorView, slice: Slice): void {
  const { tr } = view.state;
  const { content, openStart, openEnd } = slice;
  const isNode = openStart === 0 && openEnd === 0 && content.childCount === 1;
  insert(view, isNode ? tr.replaceSelectionWith(content.firstChild!, false) : tr.replaceSelection(slice));
}

function insertText(view: EditorView, text: string): void {
  if (text === "") return;
  const linked = linkSelection(text, view.state);
  if (linked) insert(view, linked);
  else insertSlice(view, sliceFromText(text, view.state));
}

/** Inserts what the clipboard or a drag has, in the form that keeps most of it. */
async function insertData(view: EditorView, data: DataTransfer, isPlain: boolean, options: ClipboardOptions) {
  // the data is gone after the event
  const own = data.getData(BLOCKS_TYPE);
  const html = data.getData("text/html");
  const text = data.getData("text/plain") || data.getData("text/uri-list");
  const files = [...data.files].filter(({ type }) => type.startsWith("image/"));
  const isCode = Boolean(view.state.selection.$from.parent.type.spec.code);
  if (isPlain || isCode) return insertText(view, text);
  const slice = own === "" ? undefined : sliceFromJson(own);
  if (slice) return insertSlice(view, slice);
  const pasted = html === "" ? undefined : (await loadHtmlReader()).htmlBlocks(html);
  if (view.isDestroyed) return;
  if (pasted && pasted.blocks.length > 0) return insertSlice(view, sliceFromHtml(pasted, view.state));
  if (files.length > 0 && options.insertFiles) return options.insertFiles(view, files);
  insertText(view, text);
}

function copy(view: EditorView, { clipboardData: data }: ClipboardEvent): boolean {
  const { selection } = view.state;
  if (!data || selection.empty) return false;
  const { dom, text, slice } = view.serializeForClipboard(selection.content());
  data.clearData();
  data.setData("text/html", dom.innerHTML);
  data.setData("text/plain", text);
  data.setData(BLOCKS_TYPE, sliceToJson(slice));
  return true;
}

export function clipboard(options: ClipboardOptions): Plugin {
  let isShift = false;
  return new Plugin({
    props: {
      handleDOMEvents: {
        keydown: (_view, event) => {
          isShift = event.shiftKey;
          return false;
        },
        keyup: (_view, event) => {
          isShift = event.shiftKey;
          return false;
        },
        copy: (view, event) => {
          if (!copy(view, event)) return false;
          event.preventDefault();
          return true;
        },
        cut: (view, event) => {
          if (!view.editable || !copy(view, event)) return false;
          event.preventDefault();
          view.dispatch(view.state.tr.deleteSelection().scrollIntoView().setMeta("uiEvent", "cut"));
          return true;
        },
        paste: (view, event) => {
          event.preventDefault();
          if (view.editable && event.clipboardData) void insertData(view, event.clipboardData, isShift, options);
          return true;
        },
        drop: (view, event) => {
          // moved within this editor: ProseMirror has the nodes
          if (view.dragging) return false;
          event.preventDefault();
          const target = view.posAtCoords({ left: event.clientX, top: event.clientY });
          if (!view.editable || !event.dataTransfer || !target) return true;
          view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(target.pos))));
          view.focus();
          void insertData(view, event.dataTransfer, false, options);
          return true;
        },
      },
    },
  });
}

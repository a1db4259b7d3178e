/**
 * Copying, pasting and dropping. ProseMirror would parse HTML with `innerHTML`, which Trusted Types forbid: the events of
 * pasting and dropping are handled before they reach it.
 */
import type { Slice } from "prosemirror-model";
import { type EditorState, Plugin, PluginKey, Selection, TextSelection, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { WITHOUT_IMAGES } from "../editor.ts";
import type { PastedHtml } from "./html.ts";
import { BLOCKS_TYPE, linkSelection, sliceFromHtml, sliceFromJson, sliceFromText, sliceToJson } from "./paste.ts";

interface ClipboardOptions {
  /** Inserts images at the selection; undefined where there is no library for them. */
  readonly insertFiles: ((view: EditorView, files: readonly File[]) => void) | undefined;
  /** Called with what has been left out. */
  readonly onError: (message: string) => void;
}

/** They are loaded with the first paste. */
const readHtml = async (html: string) => (await import("./html.ts")).htmlBlocks(html);
const readMarkdown = async (text: string) => (await import("./from-markdown.ts")).markdownBlocks(text);

/** Text without any of these is pasted at once. */
const MAY_BE_MARKDOWN = /^ {0,3}(?:[#>|]|[-*+]\s|\d+[.)]\s)|[*_~`]\S|\]\(/m;

/** Where something is pasted that is still being read. Later changes move it; what is typed there comes after it. */
interface Place {
  selection: Selection;
}

const places = new PluginKey<Set<Place>>();

function movePlaces({ docChanged, doc, mapping }: Transaction, pending: Set<Place>): Set<Place> {
  if (docChanged)
    for (const place of pending) {
      const from = mapping.map(place.selection.from, -1);
      const to = mapping.mapResult(place.selection.to, -1);
      // what was typed over the selection is no part of it
      place.selection = TextSelection.between(doc.resolve(from), doc.resolve(to.deletedBefore ? from : to.pos));
    }
  return pending;
}

/** `at`: the state with the selection that is replaced. A cursor that has gone on since stays where it is. */
function insert(view: EditorView, at: EditorState, transaction: Transaction): void {
  const { selection } = view.state;
  if (!selection.eq(at.selection)) transaction.setSelection(selection.map(transaction.doc, transaction.mapping));
  view.dispatch(transaction.scrollIntoView().setMeta("paste", true).setMeta("uiEvent", "paste"));
}

function insertSlice(view: EditorView, at: EditorState, slice: Slice): void {
  const { tr } = at;
  const { content, openStart, openEnd } = slice;
  const isNode = openStart === 0 && openEnd === 0 && content.childCount === 1;
  insert(view, at, isNode ? tr.replaceSelectionWith(content.firstChild!, false) : tr.replaceSelection(slice));
}

function insertText(view: EditorView, at: EditorState, text: string): void {
  if (text === "") return;
  const linked = linkSelection(text, at);
  if (linked) insert(view, at, linked);
  else insertSlice(view, at, sliceFromText(text, at));
}

/** Reads what is pasted, and returns the state with the selection of now, although keys may be pressed before its reader is loaded. */
async function readPasted(
  view: EditorView,
  read: () => Promise<PastedHtml | undefined>,
): Promise<{ pasted: PastedHtml | undefined; at: EditorState }> {
  const pending = places.getState(view.state)!;
  const place: Place = { selection: view.state.selection };
  pending.add(place);
  try {
    const pasted = await read();
    return { pasted, at: view.state.apply(view.state.tr.setSelection(place.selection)) };
  } finally {
    pending.delete(place);
  }
}

/** Inserts what the clipboard or a drag has, in the form that keeps most of it. */
async function insertData(view: EditorView, data: DataTransfer, isPlain: boolean, options: ClipboardOptions) {
  // the data is gone after the event
  const own = data.getData(BLOCKS_TYPE);
  const html = data.getData("text/html");
  const text = data.getData("text/plain") || data.getData("text/uri-list");
  const files = [...data.files].filter(({ type }) => type.startsWith("image/"));
  const isCode = Boolean(view.state.selection.$from.parent.type.spec.code);
  if (isPlain || isCode) return insertText(view, view.state, text);
  const slice = own === "" ? undefined : sliceFromJson(own);
  if (slice) return insertSlice(view, view.state, slice);
  const isMarkdown = files.length === 0 && MAY_BE_MARKDOWN.test(text);
  const read = html !== "" ? () => readHtml(html) : isMarkdown ? () => readMarkdown(text) : undefined;
  const { pasted, at } = read ? await readPasted(view, read) : { pasted: undefined, at: view.state };
  if (view.isDestroyed) return;
  if (pasted && pasted.blocks.length > 0) {
    if (pasted.hasImages) options.onError(WITHOUT_IMAGES);
    return insertSlice(view, at, sliceFromHtml(pasted, at));
  }
  if (files.length > 0 && options.insertFiles) return options.insertFiles(view, files);
  insertText(view, at, text);
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
    key: places,
    state: { init: () => new Set<Place>(), apply: movePlaces },
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

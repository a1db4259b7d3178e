/** A handle at the left of the block with the pointer or the cursor, by which the block is dragged. A click selects the block. */
import { render } from "preact";
import { type EditorState, NodeSelection, Plugin, type PluginView, type Selection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { Icon } from "../../widgets/icon.tsx";
import { element } from "../dom.ts";
import { blockStart, moveBlock } from "./move-blocks.ts";

/** A shorter way is a click. */
const MIN_WAY = 4;
/** The page scrolls while the pointer is at its edge, also without moving. */
const SCROLL_MS = 60;
/** From the editor's left to a place in the text of each block. */
const TEXT_OFFSET = 60;

interface Drag {
  readonly from: number;
  readonly startY: number;
  readonly selection: Selection;
  readonly timer: ReturnType<typeof setInterval>;
  y: number;
  /** The place between blocks where it would go; undefined as long as the pointer has not moved. */
  to: number | undefined;
}

class BlockHandle implements PluginView {
  readonly #view: EditorView;
  readonly #body: HTMLElement;
  readonly #handle = element("div", {
    class: "block-handle",
    title: "Drag to move, or Alt+↑ and Alt+↓",
    "aria-hidden": "true",
  });
  readonly #line = element("div", { class: "block-drop drop-cursor", "aria-hidden": "true" });
  readonly #listeners = new AbortController();
  /** The block that the handle is at. */
  #shown: number | undefined;
  #drag: Drag | undefined;

  constructor(view: EditorView) {
    this.#view = view;
    this.#body = view.dom.parentElement!;
    render(<Icon name="drag" />, this.#handle);
    this.#hide();
    this.#line.hidden = true;
    this.#body.append(this.#handle, this.#line);
    const { signal } = this.#listeners;
    const listen = <Name extends keyof HTMLElementEventMap>(
      target: HTMLElement,
      name: Name,
      run: (event: HTMLElementEventMap[Name]) => void,
    ): void => target.addEventListener(name, run, { signal });
    listen(this.#body, "pointermove", ({ clientY }) => this.#drag ?? this.#show(this.#blockAt(clientY)));
    listen(this.#body, "pointerleave", () => this.#showAtCursor());
    listen(view.dom, "focus", () => this.#showAtCursor());
    listen(view.dom, "blur", () => this.#hide());
    // the text keeps the focus
    listen(this.#handle, "mousedown", (event) => event.preventDefault());
    listen(this.#handle, "pointerdown", (event) => this.#begin(event));
    listen(this.#handle, "pointermove", ({ clientY }) => this.#follow(clientY));
    listen(this.#handle, "pointerup", () => this.#end(true));
    listen(this.#handle, "lostpointercapture", () => this.#end(false));
    document.addEventListener("keydown", (event) => this.#onKey(event), { capture: true, signal });
  }

  /** Most keys change neither the block nor their number: to measure for each would take time. */
  update({ state }: EditorView, before: EditorState): void {
    const isMoved = state.selection.$head.index(0) !== before.selection.$head.index(0);
    if (isMoved || state.doc.childCount !== before.doc.childCount) this.#showAtCursor();
  }

  destroy(): void {
    this.#end(false);
    this.#listeners.abort();
    render(null, this.#handle);
    this.#handle.remove();
    this.#line.remove();
  }

  #hide(): void {
    if (this.#drag) return;
    this.#shown = undefined;
    this.#handle.hidden = true;
  }

  #showAtCursor(): void {
    const { state, dom } = this.#view;
    const { $head } = state.selection;
    if (this.#drag) return;
    if (document.activeElement === dom) this.#show(Math.min($head.index(0), state.doc.childCount - 1), true);
    else this.#hide();
  }

  #show(index: number, isNew = index !== this.#shown): void {
    if (!this.#view.editable) return this.#hide();
    if (!isNew) return;
    this.#shown = index;
    this.#handle.hidden = false;
    this.#handle.style.top = `${this.#firstLine(index) - this.#body.getBoundingClientRect().top}px`;
  }

  #rectOf(index: number): DOMRect {
    const { state } = this.#view;
    return (this.#view.nodeDOM(blockStart(state.doc, index)) as HTMLElement).getBoundingClientRect();
  }

  /** The middle of its first line. */
  #firstLine(index: number): number {
    const { state } = this.#view;
    const node = state.doc.child(index);
    const { top } = this.#rectOf(index);
    if (!node.isTextblock || node.type.spec.code) return top + this.#handle.offsetHeight / 2;
    const line = this.#view.coordsAtPos(blockStart(state.doc, index) + 1);
    return (line.top + line.bottom) / 2;
  }

  #blockAt(y: number): number {
    const { state, dom } = this.#view;
    const { doc } = state;
    const found = this.#view.posAtCoords({ left: dom.getBoundingClientRect().left + TEXT_OFFSET, top: y });
    if (!found) return y < dom.getBoundingClientRect().top ? 0 : doc.childCount - 1;
    const { pos, inside } = found;
    return Math.min(doc.resolve(inside < 0 ? pos : inside).index(0), doc.childCount - 1);
  }

  #begin(event: PointerEvent): void {
    const from = this.#shown;
    if (event.button !== 0 || from === undefined) return;
    const { state } = this.#view;
    const { clientY, pointerId } = event;
    this.#handle.setPointerCapture(pointerId);
    const timer = setInterval(() => this.#follow(this.#drag!.y), SCROLL_MS);
    this.#drag = { from, startY: clientY, y: clientY, to: undefined, selection: state.selection, timer };
    this.#view.dispatch(state.tr.setSelection(NodeSelection.create(state.doc, blockStart(state.doc, from))));
    this.#view.focus();
  }

  #follow(y: number): void {
    const drag = this.#drag;
    if (!drag || (drag.to === undefined && Math.abs(y - drag.startY) < MIN_WAY)) return;
    const index = this.#blockAt(y);
    const { top, bottom } = this.#rectOf(index);
    const isAfter = y > (top + bottom) / 2;
    drag.y = y;
    drag.to = isAfter ? index + 1 : index;
    this.#line.hidden = false;
    this.#line.style.top = `${(isAfter ? bottom : top) - this.#body.getBoundingClientRect().top}px`;
    this.#line.scrollIntoView({ block: "nearest" });
  }

  #end(isDrop: boolean): void {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = undefined;
    clearInterval(drag.timer);
    this.#line.hidden = true;
    const { state } = this.#view;
    if (isDrop && drag.to !== undefined) this.#view.dispatch(moveBlock(state.tr, drag.from, drag.to));
    else if (!isDrop && state.selection instanceof NodeSelection)
      this.#view.dispatch(state.tr.setSelection(drag.selection));
    this.#showAtCursor();
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.#drag) return;
    // no other key changes the text below the pointer
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") this.#end(false);
  }
}

export const blockHandle = (): Plugin => new Plugin({ view: (view) => new BlockHandle(view) });

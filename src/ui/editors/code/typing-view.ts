/** CodeMirror that measures its layout when typing pauses, rather than in the frame of each key. */
import type { Transaction } from "@codemirror/state";
import { EditorView, type EditorViewConfig } from "@codemirror/view";

/** From the first key to a measurement, while typing goes on. */
const DELAY_MS = 300;

const isCharacter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;

/**
 * What CodeMirror measures (heights of lines, which lines are in view) is needed to move the cursor and to scroll, and no
 * character that the browser inserts changes it by more than a line. Keys that are no characters, the pointer, and transactions
 * that scroll or do more than insert text end the delay.
 */
export class TypingView extends EditorView {
  #isTyping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(config: EditorViewConfig) {
    super(config);
    // before CodeMirror's own listeners, which request a measurement for each key
    this.dom.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
    this.dom.addEventListener("pointerdown", () => this.#endTyping(), { capture: true });
  }

  override requestMeasure(request?: Parameters<EditorView["requestMeasure"]>[0]): void {
    // the constructor of the base class calls it before there are private members
    if (request || !(#isTyping in this) || !this.#isTyping) super.requestMeasure(request);
    else this.#timer ??= setTimeout(() => this.#endTyping(), DELAY_MS);
  }

  override update(transactions: readonly Transaction[]): void {
    super.update(transactions);
    if (transactions.some((transaction) => transaction.scrollIntoView || !transaction.isUserEvent("input.type")))
      this.#endTyping();
  }

  override destroy(): void {
    clearTimeout(this.#timer);
    super.destroy();
  }

  #onKey(event: KeyboardEvent): void {
    if (isCharacter(event)) this.#isTyping = true;
    else this.#endTyping();
  }

  #endTyping(): void {
    this.#isTyping = false;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    super.requestMeasure();
  }
}

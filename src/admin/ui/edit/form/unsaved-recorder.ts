/** Keeps the unsaved changes of an open document in the browser, shortly after each of them. */
import { keepUnsaved, type Unsaved, type UnsavedKey } from "./recovery.ts";

/** So long after the last change it is kept. */
const KEEP_MS = 300;

export class UnsavedRecorder {
  readonly #unsaved: () => readonly [UnsavedKey, Unsaved] | undefined;
  readonly #onProblem: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `unsaved`: what there is to keep at that moment. `onProblem` shows what stops nothing. */
  constructor(unsaved: () => readonly [UnsavedKey, Unsaved] | undefined, onProblem: (error: unknown) => void) {
    this.#unsaved = unsaved;
    this.#onProblem = onProblem;
  }

  soon(): void {
    this.stop();
    this.#timer = setTimeout(() => this.now(), KEEP_MS);
  }

  now(): void {
    this.stop();
    const unsaved = this.#unsaved();
    if (!unsaved) return;
    try {
      keepUnsaved(...unsaved);
    } catch (cause) {
      this.#onProblem(new Error("The browser has no room to keep unsaved text: save soon", { cause }));
    }
  }

  /** What was about to be kept is not. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

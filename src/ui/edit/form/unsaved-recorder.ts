/** Stores the unsaved changes of an open document in the browser: after a pause, and at intervals during long typing. */
import { removeUnsaved, storeUnsaved, type Unsaved, type UnsavedKey } from "./recovery.ts";

/** After the last change. */
const DELAY_MS = 300;
/** After the first change that is not stored yet. */
const MAX_DELAY_MS = 2000;

export class UnsavedRecorder {
  readonly #unsaved: () => readonly [UnsavedKey, Unsaved | undefined] | undefined;
  readonly #onProblem: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstChange = 0;
  #lastChange = 0;

  /**
   * `unsaved` returns what to store, or a key alone if what is stored there is out of date; undefined for nothing.
   * `onProblem` is called if the storage is full.
   */
  constructor(
    unsaved: () => readonly [UnsavedKey, Unsaved | undefined] | undefined,
    onProblem: (error: unknown) => void,
  ) {
    this.#unsaved = unsaved;
    this.#onProblem = onProblem;
  }

  /** Called with each key press, which does not set a new timer. */
  schedule(): void {
    this.#lastChange = performance.now();
    if (this.#timer !== undefined) return;
    this.#firstChange = this.#lastChange;
    this.#timer = setTimeout(() => this.#flushWhenDue(), DELAY_MS);
  }

  #flushWhenDue(): void {
    const due = Math.min(this.#lastChange + DELAY_MS, this.#firstChange + MAX_DELAY_MS);
    const rest = due - performance.now();
    if (rest <= 0) this.flush();
    else this.#timer = setTimeout(() => this.#flushWhenDue(), rest);
  }

  flush(): void {
    this.cancel();
    const unsaved = this.#unsaved();
    if (!unsaved) return;
    const [key, changes] = unsaved;
    if (!changes) return removeUnsaved(key);
    try {
      storeUnsaved(key, changes);
    } catch (cause) {
      this.#onProblem(new Error("The browser has no space left for unsaved changes: save soon", { cause }));
    }
  }

  /** Cancels a scheduled write. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Stores the unsaved changes of an open document in the browser, debounced. */
import { storeUnsaved, type Unsaved, type UnsavedKey } from "./recovery.ts";

/** After the last change. */
const DELAY_MS = 300;

export class UnsavedRecorder {
  readonly #unsaved: () => readonly [UnsavedKey, Unsaved] | undefined;
  readonly #onProblem: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `unsaved` returns what to store; undefined for nothing. `onProblem` is called if the storage is full. */
  constructor(unsaved: () => readonly [UnsavedKey, Unsaved] | undefined, onProblem: (error: unknown) => void) {
    this.#unsaved = unsaved;
    this.#onProblem = onProblem;
  }

  schedule(): void {
    this.cancel();
    this.#timer = setTimeout(() => this.flush(), DELAY_MS);
  }

  flush(): void {
    this.cancel();
    const unsaved = this.#unsaved();
    if (!unsaved) return;
    try {
      storeUnsaved(...unsaved);
    } catch (cause) {
      this.#onProblem(new Error("The browser has no space left for unsaved changes: save soon", { cause }));
    }
  }

  /** Cancels a scheduled write. */
  cancel(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Changes of files on disk by the upload services, while code may run between them. Files are in place at once, since code may read them,
 * but a change is undone unless the record is written as well: when it fails, takes too long, or the process is killed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { FileSwap } from "../../engine/media/file-change.ts";
import type { ProcessedImage } from "../../engine/media/images/image.ts";
import type { UploadFolder } from "../../engine/media/upload-folder.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Limit } from "../lib/deadlines.ts";

export interface WorkParts {
  readonly folder: () => UploadFolder;
  readonly storage: () => Storage;
  readonly transactions: () => AsyncTransactions;
  readonly limit: Limit;
  /** Called with errors while files of a failed change are removed. */
  readonly onError: (error: unknown) => void;
}

/** The change for one file and its copies. */
export class FileWork {
  readonly #parts: WorkParts;
  #swaps: FileSwap[] = [];
  #removals: (() => Promise<unknown>)[] = [];
  #state: "open" | "ended" = "open";
  /** Decoded images, so that the steps of an upload decode a file once. */
  readonly images = new Map<string, Promise<ProcessedImage | undefined>>();

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /** Moves a finished file into place. Throws for a name that is not plain, and when the work has ended. */
  put(name: string, path: string): void {
    this.#swap({ put: new Map([[name, path]]), drop: [] });
  }

  /** The file is removed once the work has succeeded. */
  drop(name: string): void {
    this.#swap({ put: new Map(), drop: [name] });
  }

  #swap(change: ConstructorParameters<typeof FileSwap>[2]): void {
    if (this.#state === "ended") throw new Error("The upload has ended");
    const swap = new FileSwap(this.#parts.folder(), this.#parts.storage(), change);
    swap.move();
    this.#swaps.push(swap);
  }

  /** `remove` is called if the work fails. */
  onUndo(remove: () => Promise<unknown>): void {
    if (this.#state === "open") this.#removals.push(remove);
    else this.#remove(remove);
  }

  /** Called inside the transaction that writes the record: from its commit on, nothing is undone. */
  commit(): void {
    const swaps = this.#swaps;
    const removals = this.#removals;
    const transactions = this.#parts.transactions();
    for (const swap of swaps) swap.mark(transactions.storage);
    this.#swaps = [];
    this.#removals = [];
    const finish = (): void => {
      for (const swap of swaps) swap.finish();
    };
    transactions.onRollback(() => this.#revert(swaps, removals));
    if (!transactions.onCommit(finish)) finish();
  }

  /** Ends a work whose code writes the record by itself. */
  end(): void {
    this.#state = "ended";
    if (this.#swaps.length > 0) this.commit();
  }

  undo(): void {
    this.#state = "ended";
    this.#revert(this.#swaps, this.#removals);
    this.#swaps = [];
    this.#removals = [];
  }

  #revert(swaps: readonly FileSwap[], removals: readonly (() => Promise<unknown>)[]): void {
    for (const swap of swaps.toReversed()) swap.undo();
    for (const remove of removals) this.#remove(remove);
  }

  #remove(remove: () => Promise<unknown>): void {
    remove().catch(this.#parts.onError);
  }
}

export class FileWorks {
  readonly #parts: WorkParts;
  readonly #current = new AsyncLocalStorage<FileWork>();

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  get current(): FileWork | undefined {
    return this.#current.getStore();
  }

  /** Runs a step of an upload; on its own outside of one. */
  async run<T>(step: (work: FileWork) => Promise<T>): Promise<T> {
    const current = this.current;
    if (current) return step(current);
    const work = new FileWork(this.#parts);
    try {
      const result = await this.limited(() => this.#current.run(work, () => step(work)));
      work.end();
      return result;
    } catch (error) {
      work.undo();
      throw error;
    }
  }

  /** Rejects when `work` takes longer than code may. */
  limited<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.limit("plugin::upload", work);
  }
}

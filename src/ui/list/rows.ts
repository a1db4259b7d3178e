/** The rows of a list, loaded page by page as they become visible. The least recently used pages are evicted. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { api, errorMessage } from "../api/client.ts";
import { ROWS_PER_PAGE, rowsPath } from "./rows-path.ts";

export interface Row {
  readonly documentId: string;
  readonly [name: string]: unknown;
}

interface Answer {
  readonly results: readonly Row[];
  readonly pagination: { readonly total: number };
}

const MAX_PAGES = 20;
/** Rows that are scrolled past within this time are not loaded. */
const SETTLE_MS = 50;

export class Rows {
  /** Undefined until the first response. */
  readonly total = signal<number | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  /** Resolves after the first response, or its failure. */
  readonly ready: Promise<void>;
  readonly #uid: string;
  readonly #search: URLSearchParams;
  /** In order of use, the most recent last. */
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #loading = new Map<number, AbortController>();
  readonly #changes = signal(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The pages that are in view. */
  #view = { from: 0, to: 0 };

  /** `search`: the query of the list's URL. */
  constructor(uid: string, search: URLSearchParams) {
    this.#uid = uid;
    this.#search = search;
    this.ready = this.#load(0);
  }

  /** The request for the first rows, which identifies the list. */
  get path(): string {
    return rowsPath(this.#uid, this.#search);
  }

  /** Changes when rows have been loaded. */
  get changes(): ReadonlySignal<number> {
    return this.#changes;
  }

  /** Undefined for a row that is not loaded. */
  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / ROWS_PER_PAGE))?.[index % ROWS_PER_PAGE];
  }

  /** The index of a document among the loaded rows; undefined if it is not one of them. */
  indexOf(documentId: string): number | undefined {
    for (const [page, rows] of this.#pages) {
      const index = rows.findIndex((row) => row.documentId === documentId);
      if (index >= 0) return page * ROWS_PER_PAGE + index;
    }
    return undefined;
  }

  /** Loads missing rows of this range after a short delay; aborts requests for rows that are no longer in view. */
  show(first: number, last: number): void {
    clearTimeout(this.#timer);
    const from = Math.floor(first / ROWS_PER_PAGE);
    const to = Math.floor(last / ROWS_PER_PAGE);
    this.#view = { from, to };
    const missingPages = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
      (page) => !this.#touch(page),
    );
    if (missingPages.length === 0) return;
    this.#timer = setTimeout(() => {
      for (const [page, controller] of this.#loading) if (page < from || page > to) controller.abort();
      for (const page of missingPages) void this.#load(page);
    }, SETTLE_MS);
  }

  /** Loads visible pages again and drops the others. The old rows are shown until then. */
  refresh(): void {
    this.#abort();
    const { from, to } = this.#view;
    for (const page of [...this.#pages.keys()]) if (page < from || page > to) this.#pages.delete(page);
    for (let page = from; page <= to; page++) void this.#load(page, true);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#abort();
  }

  #abort(): void {
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
  }

  #touch(page: number): boolean {
    const rows = this.#pages.get(page);
    if (!rows) return false;
    this.#pages.delete(page);
    this.#pages.set(page, rows);
    return true;
  }

  async #load(page: number, isStale = false): Promise<void> {
    if (!isStale && (this.#pages.has(page) || this.#loading.has(page))) return;
    const controller = new AbortController();
    this.#loading.set(page, controller);
    try {
      const path = rowsPath(this.#uid, this.#search, page + 1);
      const { results, pagination } = await api.get<Answer>(path, { signal: controller.signal });
      this.#pages.set(page, results);
      for (const oldest of this.#pages.keys()) if (this.#pages.size > MAX_PAGES) this.#pages.delete(oldest);
      this.total.value = pagination.total;
      this.problem.value = undefined;
      this.#changes.value++;
    } catch (error) {
      if ((error as Error).name !== "AbortError") this.problem.value = errorMessage(error);
    } finally {
      if (this.#loading.get(page) === controller) this.#loading.delete(page);
    }
  }
}

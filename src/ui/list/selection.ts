/** The selected documents of a list, by id. */
import { signal } from "@preact/signals";

export class Selection {
  readonly #ids = signal<ReadonlySet<string>>(new Set());
  /** Whether ids are requested that are to be selected. */
  readonly isLoading = signal(false);

  get ids(): ReadonlySet<string> {
    return this.#ids.value;
  }

  has(id: string): boolean {
    return this.#ids.value.has(id);
  }

  toggle(id: string): void {
    const ids = new Set(this.#ids.value);
    if (!ids.delete(id)) ids.add(id);
    this.#ids.value = ids;
  }

  add(...ids: readonly string[]): void {
    this.#ids.value = new Set([...this.#ids.value, ...ids]);
  }

  remove(...ids: readonly string[]): void {
    const rest = new Set(this.#ids.value);
    for (const id of ids) rest.delete(id);
    this.#ids.value = rest;
  }

  clear(): void {
    this.#ids.value = new Set();
  }
}

/**
 * The ids of imported rows. The reference numbers rows in the order of their lines, which is the order of lists without a
 * sort. Where the ids of an archive ascend, as in those of an SQLite database, they are that order, and nothing is
 * remembered of a row; a PostgreSQL database exports its rows in another order.
 */
import { isId } from "../archive/shapes.ts";

/** The rows of one type. */
export class RowOrder {
  #last = 0;
  /** Rows above it have a number of their own; undefined: all ids have ascended so far. */
  #ascendedTo: number | undefined;
  readonly #numbers = new Map<number, number>();

  /** The place of the next row. `exists`: asked for ids that may have come before. Undefined for an id that has come before. */
  place(id: number, exists: (place: number) => boolean): number | undefined {
    if (this.#ascendedTo === undefined && id > this.#last) {
      this.#last = id;
      return id;
    }
    this.#ascendedTo ??= this.#last;
    if (this.#numbers.has(id) || (id <= this.#ascendedTo && exists(id))) return undefined;
    this.#numbers.set(id, ++this.#last);
    return isId(this.#last) ? this.#last : undefined;
  }

  /** The place of a row that has come. */
  placeOf(id: number): number {
    return this.#numbers.get(id) ?? id;
  }
}

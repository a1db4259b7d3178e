/**
 * Assigns ids to imported rows. Strapi numbers rows in the order of their lines, which is the order of lists without a
 * sort. Ascending ids, as exported from SQLite, are kept and need no map; PostgreSQL exports rows in another order.
 */
import { isId } from "../archive/shapes.ts";

/** Assigns the ids of one type. */
export class RowOrder {
  #last = 0;
  /** Ids up to this one were kept; undefined: all ids so far were ascending. */
  #ascendingUpTo: number | undefined;
  readonly #newIds = new Map<number, number>();

  /** The new id of the next row; undefined for a repeated one. `exists`: whether a row was imported with this id. */
  assign(id: number, exists: (id: number) => boolean): number | undefined {
    if (this.#ascendingUpTo === undefined && id > this.#last) {
      this.#last = id;
      return id;
    }
    this.#ascendingUpTo ??= this.#last;
    if (this.#newIds.has(id) || (id <= this.#ascendingUpTo && exists(id))) return undefined;
    this.#newIds.set(id, ++this.#last);
    return isId(this.#last) ? this.#last : undefined;
  }

  /** The new id of an imported row. */
  findId(id: number): number {
    return this.#newIds.get(id) ?? id;
  }
}

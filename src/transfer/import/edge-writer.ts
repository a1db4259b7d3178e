/** Inserts edges in batches. */
import { addMixedEdges, type MixedEdge } from "../../documents/mixed-edges.ts";
import type { Storage } from "../../storage/storage.ts";

/** Edges per statement. */
const BATCH = 64;
const COLUMNS = 6;

export class EdgeWriter {
  readonly #storage: Storage;
  #pending: number[] = [];
  written = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** `position`: in the owner's list; `inverse`: in the target's list. An existing edge is not changed. */
  add(field: number, owner: number, position: number, target: number, kind: number, inverse: number): void {
    this.#pending.push(field, owner, position, target, kind, inverse);
    if (this.#pending.length === BATCH * COLUMNS) this.flush();
  }

  /** Of a morphToMany relation, whose links may have the same order: they are read in that of the archive. */
  addMixed(field: number, edge: MixedEdge): void {
    this.written += addMixedEdges(this.#storage, field, [edge], 0);
  }

  flush(): void {
    const count = this.#pending.length / COLUMNS;
    if (count === 0) return;
    const rows = Array(count).fill("(?, ?, ?, ?, ?, ?, NULL)").join(", ");
    this.written += this.#storage.run(`INSERT OR IGNORE INTO galley_links VALUES ${rows}`, this.#pending).changes;
    this.#pending = [];
  }
}

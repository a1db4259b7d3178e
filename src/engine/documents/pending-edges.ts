/** Collects inserts of edges, and writes several in each statement. */
import type { DocumentsContext } from "./context.ts";
import { type Edge, readEdges } from "./edges.ts";

/** Edges per statement. Each number of edges is a prepared statement of its own. */
const MAX_PENDING = 8;

export class PendingEdges {
  readonly #context: DocumentsContext;
  readonly #edges: Edge[] = [];

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** The database for reading and deleting links, after pending inserts were written. */
  get links(): DocumentsContext["storage"] {
    this.flush();
    return this.#context.storage;
  }

  read(where: string, params: readonly (string | number)[]): Edge[] {
    return readEdges(this.links, where, params);
  }

  insert(edge: Edge): void {
    this.#edges.push(edge);
    if (this.#edges.length === MAX_PENDING) this.flush();
  }

  flush(): void {
    if (this.#edges.length === 0) return;
    const rows = this.#edges.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
    const values = this.#edges.flatMap(({ field, owner, position, target, kind, inverse, targetAttribute }) => [
      field,
      owner,
      position,
      target,
      kind,
      inverse,
      targetAttribute,
    ]);
    this.#edges.length = 0;
    this.#context.storage.run(`INSERT OR IGNORE INTO galley_links VALUES ${rows}`, values);
  }
}

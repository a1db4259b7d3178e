/** Collects inserts of links, and writes several in each statement. */
import type { DocumentsContext } from "./context.ts";
import { type LinkRow, readLinkRows } from "./link-rows.ts";

/** Links per statement. Each number of links is a prepared statement of its own. */
const MAX_PENDING = 8;

export class PendingLinks {
  readonly #context: DocumentsContext;
  readonly #links: LinkRow[] = [];

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** The database for reading and deleting links, after pending inserts were written. */
  get links(): DocumentsContext["storage"] {
    this.flush();
    return this.#context.storage;
  }

  read(where: string, params: readonly (string | number)[]): LinkRow[] {
    return readLinkRows(this.links, where, params);
  }

  insert(link: LinkRow): void {
    this.#links.push(link);
    if (this.#links.length === MAX_PENDING) this.flush();
  }

  flush(): void {
    if (this.#links.length === 0) return;
    const rows = this.#links.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
    const values = this.#links.flatMap(({ field, owner, position, target, kind, inverse, targetAttribute }) => [
      field,
      owner,
      position,
      target,
      kind,
      inverse,
      targetAttribute,
    ]);
    this.#links.length = 0;
    this.#context.storage.run(`INSERT OR IGNORE INTO galley_links VALUES ${rows}`, values);
  }
}

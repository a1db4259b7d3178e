/**
 * Writes rows of a type with their components. If hooks may see how the components are written, each is a query of its own, and the row
 * links them; otherwise all are written together.
 */
import type { Status } from "../query/read-context.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import { deleteBareRows } from "./bare-rows.ts";
import { linkEntries } from "./component-links.ts";
import type { DocumentsContext } from "./context.ts";
import { deleteRemovedComponents, deleteRow } from "./delete-row.ts";
import { type CopiedComponents, HookedComponents, withoutComponents } from "./hooked-components.ts";
import { HookedRows, type Selection, type WrittenRow } from "./hooked-rows.ts";
import type { LinkedRow } from "./link-change.ts";
import type { Data, Hashes, RowIds } from "./rows.ts";
import type { Work } from "./steps.ts";

/** Stores a row with the data that hooks returned, and returns its id. */
type Store = (data: Data, hashes: Hashes) => number;

interface Deletion {
  /** Deletes the row together with its components. */
  readonly whole?: () => void;
  /** Calls what deletes the row. */
  readonly around?: (remove: () => void) => void;
}

export class RowsWithComponents {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #hooked: HookedRows;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#hooked = new HookedRows(context, type);
  }

  /** Set if components are queries of their own. */
  get #components(): HookedComponents | undefined {
    if (!this.#context.rowHooks) return undefined;
    const components = new HookedComponents(this.#context);
    return components.watches(this.#type) ? components : undefined;
  }

  /** Whether hooks may see writes of the type's rows, or of components below them. */
  get areWatched(): boolean {
    return this.#components !== undefined;
  }

  *create(
    data: Data,
    status: Status,
    hashes: Hashes | undefined,
    selection: Selection | undefined,
    store: Store,
  ): Work<WrittenRow> {
    const components = this.#components;
    const linked = components ? yield* components.create(this.#type, data, { status, hashes }) : data;
    return yield* this.#hooked.create(linked, hashes, selection, (hooked, allHashes) =>
      this.store(hooked, { status, isNew: true }, (own) => store(own, allHashes)),
    );
  }

  *update(
    row: RowIds,
    data: Data,
    hashes: Hashes | undefined,
    selection: Selection | undefined,
    store: Store,
    where?: Data,
  ): Work<WrittenRow> {
    const components = this.#components;
    const linked = components ? yield* components.update(this.#type, row, data, hashes) : data;
    const change = (hooked: Data, allHashes: Hashes): void => {
      this.store(hooked, row, (own) => store(own, allHashes));
    };
    return yield* this.#hooked.update(row.id, linked, hashes, selection, change, where);
  }

  /** Copies the components in the data of a stored row, for a new version of it. */
  *copyComponents(data: Data, status: Status, copies: CopiedComponents): Work<Data> {
    const components = new HookedComponents(this.#context);
    return yield* components.create(this.#type, data, { status, hashes: undefined, copies });
  }

  /** Creates a row that is a copy, without its components. */
  *createCopy(data: Data, selection: Selection | undefined, store: Store): Work<WrittenRow> {
    return yield* this.#hooked.create(data, undefined, selection, store);
  }

  /** Stores data of a row with `write`, which gets those that it stores itself, and links the components that are written already. */
  store(data: Data, row: Omit<LinkedRow, "id">, write: (data: Data) => number): number {
    if (!this.areWatched) return write(data);
    const id = write(withoutComponents(this.#type, data));
    linkEntries(this.#context, this.#type, { ...row, id }, data);
    return id;
  }

  *delete(id: number, selection?: CheckedQuery, deletion: Deletion = {}): Work<void> {
    const { whole = () => deleteRow(this.#context, this.#type, id), around = (remove) => remove() } = deletion;
    const components = this.#components;
    const loaded = components ? yield* components.load(this.#type, id) : [];
    const bare = (): void => {
      deleteRemovedComponents(this.#context, this.#type, id);
      deleteBareRows(this.#context, this.#type, [id]);
    };
    const remove = components ? bare : whole;
    yield* this.#hooked.delete(id, selection, () => around(remove));
    if (components) yield* components.delete(loaded);
  }
}

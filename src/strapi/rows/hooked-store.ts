/**
 * Writes rows of a type with their components. If hooks may see how the components are written, each is a query of its own, and the row
 * links them; otherwise all are written together.
 */

import { deleteRemovedComponents, deleteRow } from "../../engine/documents/delete-row.ts";
import type { LinkedRow } from "../../engine/documents/relation-input.ts";
import {
  type CopyRow,
  type Deletion,
  newSystemColumns,
  OtherVersionError,
  type RowStore,
  type RowWrite,
  type Selection,
  type SystemValues,
  systemColumns,
  type Validation,
  type VersionRow,
  versionWith,
  type WrittenRow,
} from "../../engine/documents/row-store.ts";
import { type Data, RowWriter } from "../../engine/documents/rows.ts";
import { step, type Work } from "../../engine/documents/steps.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Status } from "../../engine/query/reading.ts";
import type { Document } from "../../engine/query/select.ts";
import type { CheckedQuery } from "../../engine/query/tree.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { deleteBareRows } from "./bare-rows.ts";
import { linkEntries } from "./component-links.ts";
import { readCopiedData } from "./copied-data.ts";
import { changedValues } from "./hook-data.ts";
import { CopiedComponents, HookedComponents, withoutComponents } from "./hooked-components.ts";
import { HookedRows, type HookedWrite } from "./hooked-rows.ts";
import { HookedLookups } from "./lookups.ts";
import { readSystemValues } from "./read-system-values.ts";
import type { RawContext } from "./row-hooks.ts";

export class HookedStore implements RowStore {
  readonly #context: RawContext;
  readonly #type: ContentType;
  readonly #hooked: HookedRows;
  readonly lookups: HookedLookups;

  constructor(context: RawContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#hooked = new HookedRows(context, type);
    this.lookups = new HookedLookups(context, type);
  }

  /** Set if components are queries of their own. */
  get #components(): HookedComponents | undefined {
    const components = new HookedComponents(this.#context);
    return components.watches(this.#type) ? components : undefined;
  }

  *validated(data: Data, options: Validation, valid: () => Data): Work<Data> {
    const { validation } = this.#context.rowHooks;
    const { creating, draft, locale, row } = options;
    if (validation)
      return yield* step(() =>
        validation({ type: this.#type, data, creating, draft, locale, ...(row === undefined ? {} : { row }) }),
      );
    const checked = valid();
    yield* this.lookups.targets(checked);
    return checked;
  }

  *create({ data, hashes, selection, store }: RowWrite, status: Status): Work<WrittenRow> {
    const components = this.#components;
    const linked = components ? yield* components.create(this.#type, data, { status, hashes }) : data;
    const insert: HookedWrite["store"] = (hooked, allHashes) =>
      this.#store(hooked, { status, isNew: true }, (own) => store(own, allHashes, this.#systemValues(own)));
    return yield* this.#hooked.create({ data: linked, hashes, selection, store: insert });
  }

  *update({ data, hashes, selection, store }: RowWrite, row: VersionRow, isShared = false): Work<WrittenRow> {
    const components = this.#components;
    const linked = components ? yield* components.update(this.#type, row, data, hashes) : data;
    const change: HookedWrite["store"] = (hooked, allHashes) =>
      this.#store(hooked, row, (own) => store(own, allHashes, isShared ? {} : this.#systemValues(own)));
    const where = isShared ? this.lookups.sharedWhere(row) : undefined;
    return yield* this.#hooked.update(row.id, { data: linked, hashes, selection, store: change }, where);
  }

  /** Values that hooks change are written over the copy. */
  *copy(from: VersionRow, status: Status, copy: CopyRow, selection: Selection | undefined): Work<WrittenRow> {
    if (!this.#components) return { id: copy()[0] };
    const stored = readCopiedData(this.#context, this.#type, from, status);
    const copies = new CopiedComponents();
    const data: Data = {
      ...(yield* new HookedComponents(this.#context).create(this.#type, stored, { status, hashes: undefined, copies })),
      ...this.#times(from),
      documentId: from.documentId,
      locale: from.locale,
      publishedAt: status === "published" ? new Date(this.#context.clock.now()) : null,
      createdBy: null,
      updatedBy: null,
    };
    // hooks may change what is in them
    const before = structuredClone(data);
    const store: HookedWrite["store"] = (hooked, hashes) => {
      const writer = new RowWriter(this.#context, hashes);
      const values = withoutComponents(this.#type, changedValues(this.#type, before, hooked));
      const own = readSystemValues(this.#context, this.#type, values);
      const version = versionWith(this.#type, { ...from, status }, own);
      if (version.status !== status) throw new OtherVersionError(this.#type);
      // a hook may have deleted the document: as in Strapi, its data is still created
      const exists = this.#times(from) !== undefined;
      return this.#store(hooked, { status, isNew: true }, (row) => {
        if (!exists) return writer.insert(this.#type, version, row, newSystemColumns(this.#type, own));
        const [id] = copy(own.id, copies.ids);
        for (const change of copies.changes) change();
        writer.patch(this.#type, { id, status }, values, systemColumns(this.#type, own));
        return id;
      });
    };
    return yield* this.#hooked.create({ data, selection, store });
  }

  /** Undefined for a row that does not exist any more. */
  #times({ id }: VersionRow): { readonly createdAt: Date; readonly updatedAt: Date } | undefined {
    const sql = `SELECT created_at, updated_at FROM ${quote(this.#type.table)} WHERE id = ?`;
    const row = this.#context.storage.first(sql, [id]) as [string, string] | undefined;
    return row && { createdAt: new Date(row[0]), updatedAt: new Date(row[1]) };
  }

  #systemValues(data: Data): SystemValues {
    return readSystemValues(this.#context, this.#type, data);
  }

  /** Stores data of a row with `write`, which gets those that it stores itself, and links the components that are written already. */
  #store(data: Data, row: Omit<LinkedRow, "id">, write: (data: Data) => number): number {
    if (!this.#components) return write(data);
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

  *readAll(documentId: string, params: Params, read: () => Document[]): Work<Document[]> {
    return yield* this.#hooked.readAll(this.lookups.deletedWhere(documentId, params), read);
  }
}

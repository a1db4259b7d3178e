/**
 * Reads and writes the rows of a type's documents: one row per version and locale. Writes validate the data first, and
 * throw a ValidationError with all its problems. The caller opens the transaction.
 */
import { unlimited } from "../budget.ts";
import { problemsError } from "../errors.ts";
import type { Params } from "../query/parse.ts";
import type { Status } from "../query/read-context.ts";
import type { Document } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { changeRowId } from "./change-row-id.ts";
import type { DocumentsContext } from "./context.ts";
import { deleteRow } from "./delete-row.ts";
import { changedKeys } from "./hook-data.ts";
import { HookedRows, type Selection, type WrittenRow } from "./hooked-rows.ts";
import { copySharedSecrets, fillShared } from "./localizations.ts";
import { readData } from "./read-data.ts";
import { RelationInput } from "./relation-input.ts";
import { type Data, type Hashes, RowWriter } from "./rows.ts";
import { manyLocales } from "./scope.ts";
import { step, type Work } from "./steps.ts";
import { newSystemColumns, OtherVersionError, systemColumns, systemValuesOf, versionWith } from "./system-values.ts";
import { type Validation, validate } from "./validate.ts";
import { VersionCopier, type VersionRow } from "./versions.ts";

/** The version of a new row. `publishedAt`: by default the current time, or null for drafts. */
export interface NewVersion extends Omit<VersionRow, "id"> {
  readonly publishedAt?: unknown;
}

/** A written row, and the response if hooks were called. */
export interface Written extends Pick<WrittenRow, "document"> {
  readonly row: VersionRow;
}

/** The data after casting. Throws a ValidationError with all of its problems. */
export function validData(context: DocumentsContext, type: ContentType, data: Data, options: Validation): Data {
  const result = validate(context, type, data, options);
  if (result.problems.length > 0) throw problemsError(result.problems);
  return result.data;
}

export class DocumentRows {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #hooked: HookedRows;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#hooked = new HookedRows(context, type);
  }

  /** The document of a single type: that of the oldest visible row. */
  singleId(): string | undefined {
    const rows = `locale IS ${this.#type.localized ? "NOT NULL" : "NULL"}${this.#type.draftAndPublish ? "" : " AND status = 'published'"}`;
    const sql = `SELECT document_id FROM ${quote(this.#type.table)} WHERE ${rows} ORDER BY id LIMIT 1`;
    return this.#context.storage.first(sql)?.[0] as string | undefined;
  }

  /** The version that a write changes: the draft, if the type has drafts. */
  writtenStatus(): Status {
    return this.#type.draftAndPublish ? "draft" : "published";
  }

  /** All rows of a document; a document without rows does not exist. */
  all(documentId: string): VersionRow[] {
    const sql = `SELECT id, locale, status, updated_at FROM ${quote(this.#type.table)} WHERE document_id = ?${this.#type.localized ? "" : " AND locale IS NULL"} ORDER BY id`;
    const rows = this.#context.storage.all(sql, [documentId]).map(([id, locale, status, updatedAt]) => {
      this.#context.clock.follow(updatedAt as string);
      return { id, documentId, locale, status } as VersionRow;
    });
    return this.#type.draftAndPublish ? rows : rows.filter(({ status }) => status === "published");
  }

  /** The rows in the requested locales. */
  inLocales(rows: readonly VersionRow[], params: Params): VersionRow[] {
    const locales = manyLocales(this.#context, this.#type, params);
    return rows.filter(({ locale }) => !locales || locales.includes(locale));
  }

  /** The data that the reference validates: with the attributes of the version. */
  #withVersion({ locale, status, publishedAt }: Omit<NewVersion, "documentId">, data: Data): Data {
    const defaultTime = status === "published" ? new Date().toISOString() : null;
    return {
      ...data,
      publishedAt: publishedAt === undefined ? defaultTime : publishedAt,
      ...(this.#type.localized ? { locale } : {}),
    };
  }

  *#validated(data: Data, options: Validation): Work<Data> {
    const { validation } = this.#context.rowHooks ?? {};
    const { creating, draft, locale, row } = options;
    if (validation)
      return yield* step(() =>
        validation({ type: this.#type, data, creating, draft, locale, ...(row === undefined ? {} : { row }) }),
      );
    return validData(this.#context, this.#type, data, options);
  }

  /** `selection`: the fields to read of the row if hooks are called. Hooks may make it a row of another version. */
  *insert(version: NewVersion, data: Data, hashes?: Hashes, selection?: Selection): Work<Written> {
    const draft = version.status === "draft";
    const { locale } = version;
    const budget = selection?.budget ?? unlimited;
    const valid = yield* this.#validated(this.#withVersion(version, data), { creating: true, draft, locale, budget });
    let stored: Omit<VersionRow, "id"> = { documentId: version.documentId, locale, status: version.status };
    const written = yield* this.#hooked.create(valid, hashes, selection, (hooked, allHashes) => {
      const own = systemValuesOf(this.#context, this.#type, hooked);
      stored = versionWith(this.#type, stored, own);
      return new RowWriter(this.#context, allHashes).insert(
        this.#type,
        stored,
        hooked,
        newSystemColumns(this.#type, own),
      );
    });
    return { row: { ...stored, id: written.id }, document: written.document };
  }

  /** A row in another locale of an existing document: attributes that are not localized are copied from it. */
  *insertLocalization(version: NewVersion, data: Data, hashes?: Hashes, selection?: Selection): Work<Written> {
    const filled = fillShared(this.#context, this.#type, version.documentId, {
      ...data,
      documentId: version.documentId,
    });
    const input = new RelationInput(this.#context, this.#type, version, true);
    const written = yield* this.insert(version, input.resolve(this.#type, filled), hashes, selection);
    copySharedSecrets(this.#context, this.#type, version.documentId, written.row.id);
    return written;
  }

  *change(row: VersionRow, data: Data, hashes?: Hashes, selection?: Selection): Work<Written> {
    const { id, locale, status } = row;
    const budget = selection?.budget ?? unlimited;
    const options = { creating: false, draft: status === "draft", locale, row: id, budget };
    const valid = yield* this.#validated(this.#withVersion(row, data), options);
    let stored = row;
    const { document } = yield* this.#hooked.update(row.id, valid, hashes, selection, (hooked, allHashes) => {
      const own = systemValuesOf(this.#context, this.#type, hooked);
      stored = versionWith(this.#type, row, own);
      const columns = systemColumns(this.#type, own);
      new RowWriter(this.#context, allHashes).update(this.#type, stored, hooked, row.status === "published", columns);
      if (own.id !== undefined) stored = { ...stored, id: changeRowId(this.#context, this.#type, row.id, own.id) };
    });
    return { row: stored, document };
  }

  /** `onCopied` is called with the new row's id before other rows link to it. */
  *publish(draft: VersionRow, onCopied?: (id: number) => void, selection?: Selection): Work<Written> {
    const type = this.#type;
    const context = this.#context;
    const validated = (data: Data) =>
      this.#validated(this.#withVersion({ ...draft, status: "published" }, data), {
        creating: true,
        draft: false,
        locale: draft.locale,
        budget: unlimited,
      });
    const check = function* (): Work<void> {
      const scope = { includes: () => true, rowLinks: true, componentIds: true, hashes: true };
      yield* validated(readData(context, type, draft.id, scope));
    };
    const { id, document } = yield* this.#replace(draft, "published", check, onCopied, selection);
    return { row: { ...draft, id, status: "published" }, document };
  }

  /** Replaces the draft by the published version. */
  *discard(published: VersionRow, selection?: Selection): Work<Written> {
    const { id, document } = yield* this.#replace(published, "draft", undefined, undefined, selection);
    return { row: { ...published, id, status: "draft" }, document };
  }

  /** Replaces a version by a copy of the other one. Hooks see a deletion and a creation. */
  *#replace(
    from: VersionRow,
    status: Status,
    check: (() => Work<void>) | undefined,
    onCopied: ((id: number) => void) | undefined,
    selection: Selection | undefined,
  ): Work<WrittenRow> {
    const replacement = new VersionCopier(this.#context, this.#type).prepare(from, status);
    if (replacement.old === undefined) replacement.removeOld();
    else yield* this.#hooked.delete([replacement.old], undefined, replacement.removeOld);
    if (check) yield* check();
    const written = yield* this.#copy(from, status, replacement.copy, selection);
    onCopied?.(written.id);
    replacement.relink(written.id);
    return written;
  }

  /** Values that hooks change are written over the copy. */
  *#copy(
    from: VersionRow,
    status: Status,
    copy: (newId?: number) => number,
    selection: Selection | undefined,
  ): Work<WrittenRow> {
    if (!this.#hooked.listens("create")) return { id: copy() };
    const data: Data = {
      ...readData(this.#context, this.#type, from.id, { includes: () => true, rowLinks: true }),
      ...this.#times(from),
      documentId: from.documentId,
      locale: from.locale,
      publishedAt: status === "published" ? new Date() : null,
      createdBy: null,
      updatedBy: null,
    };
    return yield* this.#hooked.create(data, undefined, selection, (hooked, hashes) => {
      const writer = new RowWriter(this.#context, hashes);
      const values = Object.fromEntries(changedKeys(data, hooked).map((name) => [name, hooked[name]]));
      const own = systemValuesOf(this.#context, this.#type, values);
      const version = versionWith(this.#type, { ...from, status }, own);
      if (version.status !== status) throw new OtherVersionError(this.#type);
      const columns = systemColumns(this.#type, own);
      // a hook may have deleted the document: as in the reference, its data is still created
      if (!this.#times(from)) return writer.insert(this.#type, version, hooked, newSystemColumns(this.#type, own));
      const id = copy(own.id);
      writer.patch(this.#type, { id, status }, values, columns);
      return id;
    });
  }

  /** Undefined for a row that does not exist any more. */
  #times({ id }: VersionRow): { readonly createdAt: Date; readonly updatedAt: Date } | undefined {
    const sql = `SELECT created_at, updated_at FROM ${quote(this.#type.table)} WHERE id = ?`;
    const row = this.#context.storage.first(sql, [id]) as [string, string] | undefined;
    return row && { createdAt: new Date(row[0]), updatedAt: new Date(row[1]) };
  }

  /** Calls `read`, which reads rows of the document, with hooks around it. */
  *readAll(documentId: string, read: () => Document[]): Work<Document[]> {
    return yield* this.#hooked.readAll(documentId, read);
  }

  /** Deletes rows of a document. */
  *remove(ids: readonly number[], selection?: CheckedQuery): Work<void> {
    yield* this.#hooked.delete(ids, selection, (id) => deleteRow(this.#context, this.#type, id));
  }

  /** Unpublishes versions. */
  *withdraw(published: readonly VersionRow[]): Work<void> {
    const rows = new Map(published.map((row) => [row.id, row]));
    const copier = new VersionCopier(this.#context, this.#type);
    yield* this.#hooked.delete([...rows.keys()], undefined, (id) => copier.withdraw(rows.get(id)!));
  }
}

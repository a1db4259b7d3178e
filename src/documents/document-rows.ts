/**
 * The rows of a type's documents, one for each version and locale. Whatever writes them checks the data first and throws a
 * ValidationError with all of its problems. Transactions are the caller's.
 */
import { problemsError } from "../errors.ts";
import type { Params } from "../query/parse.ts";
import type { Status } from "../query/reading.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { copySharedSecrets, fillShared } from "./localizations.ts";
import { readData } from "./read-data.ts";
import { RelationInput } from "./relation-input.ts";
import { type Data, type Hashes, RowWriter } from "./rows.ts";
import { manyLocales } from "./scope.ts";
import { type Validation, validate } from "./validate.ts";
import { VersionCopier, type VersionRow } from "./versions.ts";

export class DocumentRows {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** The document of a single type: the one with the oldest row that still counts. */
  singleId(): string | undefined {
    const rows = `locale IS ${this.#type.localized ? "NOT NULL" : "NULL"}${this.#type.draftAndPublish ? "" : " AND status = 'published'"}`;
    const sql = `SELECT document_id FROM ${quote(this.#type.table)} WHERE ${rows} ORDER BY id LIMIT 1`;
    return this.#context.storage.first(sql)?.[0] as string | undefined;
  }

  /** The version that a write changes first: the draft, where there is one. */
  writtenStatus(): Status {
    return this.#type.draftAndPublish ? "draft" : "published";
  }

  /** Every row of a document; a document without rows does not exist. */
  all(documentId: string): VersionRow[] {
    const sql = `SELECT id, locale, status, updated_at FROM ${quote(this.#type.table)} WHERE document_id = ? AND locale IS ${this.#type.localized ? "NOT NULL" : "NULL"} ORDER BY id`;
    const rows = this.#context.storage.all(sql, [documentId]).map(([id, locale, status, updatedAt]) => {
      this.#context.clock.follow(updatedAt as string);
      return { id, documentId, locale, status } as VersionRow;
    });
    return this.#type.draftAndPublish ? rows : rows.filter(({ status }) => status === "published");
  }

  /** Those rows of a document that are in the locales that the parameters ask for. */
  inLocales(rows: readonly VersionRow[], params: Params): VersionRow[] {
    const locales = manyLocales(this.#context, this.#type, params);
    return rows.filter(({ locale }) => !locales || locales.includes(locale));
  }

  /** The data as the reference has it while it is checked: with the version's own attributes. */
  #withVersion(version: Pick<VersionRow, "locale" | "status">, data: Data): Data {
    const publishedAt = version.status === "published" ? new Date().toISOString() : null;
    return { ...data, publishedAt, ...(this.#type.localized ? { locale: version.locale } : {}) };
  }

  #validated(data: Data, options: Validation): Data {
    const result = validate(this.#context, this.#type, data, options);
    if (result.problems.length > 0) throw problemsError(result.problems);
    return result.data;
  }

  insert(version: Omit<VersionRow, "id">, data: Data, hashes?: Hashes): VersionRow {
    const draft = version.status === "draft";
    const valid = this.#validated(this.#withVersion(version, data), { creating: true, draft, locale: version.locale });
    return { ...version, id: new RowWriter(this.#context, hashes).insert(this.#type, version, valid) };
  }

  /** A row of a document that has others: what is not localized comes from them. */
  insertLocalization(version: Omit<VersionRow, "id">, data: Data, hashes?: Hashes): VersionRow {
    const filled = fillShared(this.#context, this.#type, version.documentId, {
      ...data,
      documentId: version.documentId,
    });
    const input = new RelationInput(this.#context, this.#type, version, true);
    const row = this.insert(version, input.resolve(this.#type, filled), hashes);
    copySharedSecrets(this.#context, this.#type, version.documentId, row.id);
    return row;
  }

  change(row: VersionRow, data: Data, hashes?: Hashes): void {
    const options = { creating: false, draft: row.status === "draft", locale: row.locale, row: row.id };
    const valid = this.#validated(this.#withVersion(row, data), options);
    new RowWriter(this.#context, hashes).update(this.#type, row, valid, row.status === "published");
  }

  /** `made`: see `VersionCopier.replace`. */
  publish(draft: VersionRow, made?: (id: number) => void): VersionRow {
    const check = () => {
      const data = readData(this.#context, this.#type, draft.id, {
        includes: () => true,
        rowLinks: true,
        partIds: true,
      });
      this.#validated(this.#withVersion({ ...draft, status: "published" }, data), {
        creating: true,
        draft: false,
        locale: draft.locale,
      });
    };
    const id = new VersionCopier(this.#context, this.#type).replace(draft, "published", check, made);
    return { ...draft, id, status: "published" };
  }

  /** Replaces the draft by the published version. */
  discard(published: VersionRow): VersionRow {
    const id = new VersionCopier(this.#context, this.#type).replace(published, "draft", () => {});
    return { ...published, id, status: "draft" };
  }

  /** Takes a published version away. */
  withdraw(published: VersionRow): void {
    new VersionCopier(this.#context, this.#type).withdraw(published);
  }
}

/**
 * Reads and writes the rows of a type's documents: one row per version and locale. Writes validate the data first, and
 * throw a ValidationError with all its problems. The caller opens the transaction.
 */
import { unlimited } from "../../lib/budget.ts";
import { problemsError } from "../../lib/errors.ts";
import { pickBy } from "../../lib/records.ts";
import type { Params } from "../query/parse.ts";
import type { Status } from "../query/reading.ts";
import type { Document } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { LinksBelow } from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { changeRowId } from "./delete-row.ts";
import { manyLocales } from "./document-reads.ts";
import type { LinkRow } from "./link-rows.ts";
import {
  byPlace,
  copySharedSecrets,
  fillShared,
  otherLocalizations,
  readShared,
  sharedSource,
} from "./localizations.ts";
import { PlainRows } from "./plain-rows.ts";
import { readData } from "./read-data.ts";
import { resolveRelations } from "./relation-input.ts";
import { copyRemoved } from "./removed-values.ts";
import {
  type Lookups,
  newSystemColumns,
  type RowStore,
  type RowWrite,
  type Selection,
  systemColumns,
  type Validation,
  type VersionRow,
  versionWith,
  type Written,
} from "./row-store.ts";
import { type Data, type Hashes, RowWriter } from "./rows.ts";
import { together, type Work } from "./steps.ts";
import { validate } from "./validate.ts";
import { type Replacement, type ReplacementOptions, VersionCopier } from "./versions.ts";

/** The version of a new row. `publishedAt`: by default the current time, or null for drafts. */
export interface NewVersion extends Omit<VersionRow, "id"> {
  readonly publishedAt?: unknown;
}

interface Inserted extends Written {
  /** All links that the new row and its components own, if they are known. */
  readonly links: readonly LinkRow[] | undefined;
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
  readonly #rows: RowStore;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#rows = context.rows?.of(type) ?? new PlainRows(context, type);
  }

  get lookups(): Lookups {
    return this.#rows.lookups;
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
    const sql = `SELECT id, locale, status, updated_at FROM ${quote(this.#type.table)} WHERE document_id = ?${this.#type.localized ? "" : " AND locale IS NULL"}`;
    const rows = this.#context.storage.all(sql, [documentId]).map(([id, locale, status, updatedAt]) => {
      this.#context.clock.follow(updatedAt as string);
      return { id, documentId, locale, status } as VersionRow;
    });
    const own = this.#type.draftAndPublish ? rows : rows.filter(({ status }) => status === "published");
    // a statement that sorts takes several times as long
    return own.sort((a, b) => a.id - b.id);
  }

  /** The rows in the requested locales, sorted by locale and version as by Strapi's index. */
  inLocales(rows: readonly VersionRow[], params: Params): VersionRow[] {
    const locales = manyLocales(this.#context, this.#type, params);
    return rows.filter(({ locale }) => !locales || locales.includes(locale)).sort(byPlace);
  }

  /** The data that Strapi validates: with the attributes of the version. */
  #withVersion({ locale, status, publishedAt }: Omit<NewVersion, "documentId">, data: Data): Data {
    const defaultTime = status === "published" ? new Date(this.#context.clock.now()).toISOString() : null;
    return {
      ...data,
      publishedAt: publishedAt === undefined ? defaultTime : publishedAt,
      ...(this.#type.localized ? { locale } : {}),
    };
  }

  #validated(data: Data, options: Validation): Work<Data> {
    return this.#rows.validated(data, options, () => validData(this.#context, this.#type, data, options));
  }

  /** `selection`: the fields to read of the row if the store returns it. The store may make it a row of another version. */
  *insert(version: NewVersion, data: Data, hashes?: Hashes, selection?: Selection): Work<Inserted> {
    const draft = version.status === "draft";
    const { locale } = version;
    const budget = selection?.budget ?? unlimited;
    if (data.documentId) yield* this.lookups.absent(version);
    const valid = yield* this.#validated(this.#withVersion(version, data), { creating: true, draft, locale, budget });
    let stored: Omit<VersionRow, "id"> = { documentId: version.documentId, locale, status: version.status };
    let links: Inserted["links"];
    const store: RowWrite["store"] = (own, allHashes, system) => {
      stored = versionWith(this.#type, stored, system);
      const columns = newSystemColumns(this.#type, system);
      const writer = new RowWriter(this.#context, allHashes);
      const id = writer.insert(this.#type, stored, own, columns);
      ({ links } = writer);
      return id;
    };
    const written = yield* this.#rows.create({ data: valid, hashes, selection, store }, version.status);
    return { row: { ...stored, id: written.id }, document: written.document, links };
  }

  /** A row in another locale of an existing document: attributes that are not localized are copied from it. */
  *insertLocalization(version: NewVersion, data: Data, hashes?: Hashes, selection?: Selection): Work<Written> {
    const source = sharedSource(this.#context, this.#type, version.documentId);
    const given: Data = { ...data, documentId: version.documentId };
    const filled = fillShared(this.#context, this.#type, source, given);
    // what is given is resolved: of both rows of a target, a relation to one would keep the last
    const shared = pickBy(filled, (value, name) => value !== given[name]);
    const resolved = resolveRelations(this.#context, this.#type, version, shared);
    const written = yield* this.insert(version, { ...filled, ...resolved }, hashes, selection);
    copySharedSecrets(this.#context, this.#type, version.documentId, written.row.id);
    const sharedExcept = new Set(Object.keys(data).filter((name) => data[name] !== undefined && data[name] !== null));
    if (source !== undefined) copyRemoved(this.#context, this.#type, source, written.row, { sharedExcept });
    return written;
  }

  *change(row: VersionRow, data: Data, hashes?: Hashes, selection?: Selection): Work<Written> {
    const { id, locale, status } = row;
    const budget = selection?.budget ?? unlimited;
    const options = { creating: false, draft: status === "draft", locale, row: id, budget };
    const valid = yield* this.#validated(this.#withVersion(row, data), options);
    let stored = row;
    const store: RowWrite["store"] = (own, allHashes, system) => {
      stored = versionWith(this.#type, row, system);
      const columns = systemColumns(this.#type, system);
      new RowWriter(this.#context, allHashes).update(this.#type, stored, own, row.status === "published", columns);
      if (system.id !== undefined)
        stored = { ...stored, id: changeRowId(this.#context, this.#type, row.id, system.id) };
      return stored.id;
    };
    const { document } = yield* this.#rows.update({ data: valid, hashes, selection, store }, row);
    return { row: stored, document };
  }

  /**
   * Replaces versions by copies of the other ones, which a store may see as deletions and creations: all rows are deleted before any is
   * created. `rows`: all of the document. `onCopied` is called with new rows that the store does not return, before other rows link to
   * them.
   */
  *replace(
    sources: readonly VersionRow[],
    status: Status,
    rows: readonly VersionRow[],
    selection: Selection | undefined,
    onCopied?: (id: number) => void,
    options: Omit<ReplacementOptions, "isOnly"> = {},
  ): Work<Written[]> {
    if (status === "published" && this.#type.recordsFirstPublication) {
      const { recordFirstPublication } = require("./first-publication.ts") as typeof import("./first-publication.ts");
      recordFirstPublication(this.#context, this.#type, sources);
    }
    const replaced = sources.map((from) => ({
      from,
      replacement: new VersionCopier(this.#context, this.#type).prepare(
        from,
        status,
        rows.find((row) => row.status === status && row.locale === from.locale)?.id,
        { ...options, isOnly: sources.length === 1 },
      ),
    }));
    yield* together(
      replaced.flatMap(({ replacement: { old, removeOld } }) =>
        old === undefined ? [] : [this.#rows.delete(old, undefined, { whole: removeOld })],
      ),
    );
    return yield* together(
      replaced.map(({ from, replacement }) => this.#replaced(from, status, replacement, selection, onCopied)),
    );
  }

  *#replaced(
    from: VersionRow,
    status: Status,
    replacement: Replacement,
    selection: Selection | undefined,
    onCopied: ((id: number) => void) | undefined,
  ): Work<Written> {
    yield* this.lookups.absent({ ...from, status });
    if (status === "published") yield* this.#checkPublished(from, replacement.readLinks());
    const { id, document } = yield* this.#rows.copy(from, status, replacement.copy, selection);
    if (!document) onCopied?.(id);
    replacement.relink(id);
    return { row: { ...from, id, status }, document };
  }

  *#checkPublished(draft: VersionRow, links: LinksBelow): Work<void> {
    const scope = { rowLinks: true, componentIds: true, hashes: true };
    const data = readData(this.#context, this.#type, draft.id, scope, links);
    yield* this.#validated(this.#withVersion({ ...draft, status: "published" }, data), {
      creating: true,
      draft: false,
      locale: draft.locale,
      isStored: true,
      budget: unlimited,
    });
  }

  /** Calls `read`, which reads rows of the document. */
  readAll(documentId: string, params: Params, read: () => Document[]): Work<Document[]> {
    return this.#rows.readAll(documentId, params, read);
  }

  /** Copies the shared values of a written row to the other localizations of its version, if they differ from `before`. */
  *share(row: VersionRow, before: Data | undefined): Work<void> {
    const others = otherLocalizations(this.#context, this.#type, row, before);
    if (others.length === 0) return;
    yield* this.lookups.localizations(
      row,
      others.map(({ id }) => id),
    );
    const shared = readShared(this.#context, this.#type, row.id);
    yield* together(others.map((other) => this.#shareWith(other, shared, row.id)));
  }

  *#shareWith(row: VersionRow, shared: Data, source: number): Work<void> {
    const data = resolveRelations(this.#context, this.#type, row, shared, { allowsMissing: true });
    const store: RowWrite["store"] = (own, hashes) => {
      new RowWriter(this.#context, hashes).update(this.#type, row, own);
      return row.id;
    };
    yield* this.#rows.update({ data, store }, row, true);
    copyRemoved(this.#context, this.#type, source, row, { sharedExcept: new Set() });
  }

  /** Deletes rows of a document. */
  *remove(ids: readonly number[], selection?: CheckedQuery): Work<void> {
    yield* together(ids.map((id) => this.#rows.delete(id, selection)));
  }

  /** Unpublishes versions. */
  *withdraw(published: readonly VersionRow[]): Work<void> {
    const copier = new VersionCopier(this.#context, this.#type);
    const work = (row: VersionRow): Work<void> =>
      this.#rows.delete(row.id, undefined, { around: (remove) => copier.withdraw(row, remove) });
    yield* together(published.map(work));
  }
}

/**
 * The queries by which Strapi's document service finds the rows of a document before and after it writes them. Here the rows
 * are known already, so that nothing is read unless a hook gets the result, which has no populated attributes.
 */

import { targetsIn } from "../../engine/documents/relations-exist.ts";
import type { Lookups, Version } from "../../engine/documents/row-store.ts";
import { step, together, type Work } from "../../engine/documents/steps.ts";
import type { VersionRow } from "../../engine/documents/versions.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Status } from "../../engine/query/reading.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { HookedRows } from "./hooked-rows.ts";
import type { RawContext } from "./row-hooks.ts";

type Where = Readonly<Record<string, unknown>>;

const listIds = (rows: readonly VersionRow[]): number[] => rows.map(({ id }) => id);

export class HookedLookups implements Lookups {
  readonly #context: RawContext;
  readonly #type: ContentType;
  readonly #hooked: HookedRows;

  constructor(context: RawContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#hooked = new HookedRows(context, type);
  }

  /** The locales of the parameters; none for all of them. */
  #locale({ locale }: Params): Where {
    if (!this.#type.localized || locale === "*") return {};
    return { locale: locale || this.#context.defaultLocale() };
  }

  #status(status: Status, published: object, draft: unknown): Where {
    if (!this.#type.draftAndPublish) return {};
    return { publishedAt: status === "published" ? published : draft };
  }

  *original(documentId: string, rows: readonly VersionRow[]): Work<void> {
    if (this.#type.localized) yield* this.#find({ where: { documentId } }, rows);
  }

  *result(id: number): Work<void> {
    if (this.#type.localized) yield* this.#hooked.lookup("findOne", { where: { id } }, [id]);
  }

  *updated(documentId: string, params: Params, row: VersionRow | undefined, rows: readonly VersionRow[]): Work<void> {
    const where = { ...this.#status("draft", {}, { $null: true }), ...this.#locale(params), documentId };
    yield* this.#find({ where }, row ? [row] : []);
    if (!row) yield* this.#find({ where: { documentId } }, rows);
  }

  *absent({ documentId, locale, status }: Version): Work<void> {
    const version = this.#status(status, { $notNull: true }, { $null: true });
    const where = { documentId, ...(this.#type.localized ? { locale } : {}), ...version };
    yield* this.#hooked.lookup("findOne", { select: ["id"], where }, []);
  }

  *targets(data: Readonly<Record<string, unknown>>): Work<void> {
    const { model } = this.#context;
    const counts = targetsIn(this.#context, this.#type, data).flatMap(({ uid, ids }) => {
      const type = model.types.get(uid);
      return type ? [new HookedRows(this.#context, type).reportCount(ids)] : [];
    });
    yield* together(counts);
  }

  *replaced(
    documentId: string,
    params: Params,
    sources: readonly VersionRow[],
    old: () => readonly VersionRow[],
    from: Status,
  ): Work<void> {
    if (!this.#hooked.listens("findMany")) return;
    const locale = this.#locale(params);
    const to = from === "draft" ? "published" : "draft";
    const sourceWhere = { ...locale, documentId, ...this.#status(from, { $ne: null }, null) };
    const oldWhere = { ...locale, documentId, ...this.#status(to, { $ne: null }, null) };
    const select = ["id", "locale"];
    yield* together([
      // populates, and so takes longer
      this.#hooked.lookup("findMany", { where: sourceWhere }, listIds(sources), step),
      this.#hooked.lookup("findMany", { where: oldWhere, select }, listIds(old())),
    ]);
  }

  *unpublished(documentId: string, params: Params, rows: readonly VersionRow[]): Work<void> {
    const where = { ...this.#locale(params), documentId, publishedAt: { $ne: null } };
    yield* this.#hooked.lookup("findMany", { where }, listIds(rows));
  }

  *cloned(documentId: string, params: Params, rows: readonly VersionRow[]): Work<void> {
    const where = { ...this.#locale(params), documentId, publishedAt: { $null: this.#type.draftAndPublish } };
    yield* this.#hooked.lookup("findMany", { where }, listIds(rows));
  }

  *localizations({ documentId, locale, status }: VersionRow, others: readonly number[]): Work<void> {
    if (!this.#type.localized) return;
    const where = { documentId, ...this.#versionWhere(status), locale: { $ne: locale } };
    yield* this.#hooked.lookup("findMany", { where, select: ["locale", "id"] }, others);
  }

  /** The condition by which localizations of a version are found. */
  #versionWhere(status: Status): Where {
    return { publishedAt: status === "published" ? { $ne: null } : null };
  }

  /** The condition by which one of them is updated. */
  sharedWhere({ documentId, locale, status }: Version): Where {
    return { documentId, ...this.#versionWhere(status), locale: { $eq: locale } };
  }

  /** The versions to delete. */
  deletedWhere(documentId: string, params: Params): Where {
    return { ...this.#locale(params), documentId };
  }

  *#find(params: { readonly where: Where }, [row]: readonly VersionRow[]): Work<void> {
    yield* this.#hooked.lookup("findOne", params, row ? [row.id] : []);
  }
}

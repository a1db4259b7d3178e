/** The start page: recently changed documents, and counts. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import { readSort } from "../../engine/query/list-params.ts";
import type { PublicationFilter, Status } from "../../engine/query/reading.ts";
import { findRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE, LOCALE } from "../../engine/schema/builtin/index.ts";
import { isVisible } from "../../engine/schema/describe.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { validationError } from "../../lib/errors.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { documentIdsOf } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";
import type { Configurations } from "./configuration/routes.ts";
import { isDisplayed } from "./types.ts";
import { readStates } from "./versions.ts";
import { wholeRow } from "./whole-query.ts";

/** The limit of Strapi. */
const MAX_DOCUMENTS = 4;

const times = { update: "updatedAt", publish: "publishedAt" } as const;
type Action = keyof typeof times;
const isAction = (value: unknown): value is Action => value === "update" || value === "publish";

interface NewestOptions {
  readonly mainField: string;
  readonly action: Action;
  readonly limit: number;
  readonly publicationFilter?: PublicationFilter | undefined;
}

/** The newest documents of a type, each as the start page lists it. */
export function newest(
  context: DocumentsContext,
  type: ContentType,
  { mainField, action, limit, publicationFilter }: NewestOptions,
): Document[] {
  const { storage, model } = context;
  const requested: Status = action === "publish" ? "published" : "draft";
  const status = type.draftAndPublish ? requested : "published";
  const names = new Set([mainField, "updatedAt", "publishedAt", "locale"]);
  const whole = wholeRow(type);
  const fields = whole.fields.filter(({ name }) => names.has(name));
  const sort = readSort(model, type, `${times[action]}:desc`);
  const query = trustedQuery({ ...whole, fields, sort, limit });
  const rows = findRows({ storage, model, status, publicationFilter }, query, {
    locales: type.localized ? undefined : [null],
  });
  const stateOf = readStates(context, type, documentIdsOf(rows));
  return rows.map((row) => ({
    documentId: row.documentId,
    locale: row.locale ?? null,
    title: row[mainField] ?? null,
    contentTypeUid: type.uid,
    contentTypeDisplayName: type.displayName,
    kind: type.kind,
    updatedAt: row.updatedAt,
    publishedAt: type.draftAndPublish ? row.publishedAt : null,
    ...(type.draftAndPublish ? { status: stateOf(row) } : {}),
  }));
}

/** Documents by the state of their versions; without drafts, all of them are published. */
function countDocuments({ storage }: DocumentsContext, { table, draftAndPublish }: ContentType): readonly number[] {
  if (!draftAndPublish) {
    const sql = `SELECT 0, 0, count(DISTINCT document_id) FROM ${quote(table)} WHERE status = 'published'`;
    return storage.first(sql) as number[];
  }
  // compared for equality, as in Strapi: the published version may be newer where locales share values
  const draft = "max(CASE WHEN status = 'draft' THEN updated_at END)";
  const published = "max(CASE WHEN status = 'published' THEN updated_at END)";
  const sql = `SELECT sum(p IS NULL), sum(p IS NOT NULL AND d IS NOT p), sum(p IS NOT NULL AND d IS p)
    FROM (SELECT ${draft} AS d, ${published} AS p FROM ${quote(table)} GROUP BY document_id)`;
  return storage.first(sql)!.map((count) => Number(count ?? 0));
}

export function homepageRoutes(services: AdminServices, configurations: Configurations): AdminRoute[] {
  const { context, schema, tokens } = services;
  const { storage, model } = context;
  const displayed = (): ContentType[] => schema.types.filter(isDisplayed).map(({ uid }) => contentType(model, uid));
  const count = (uid: string): number =>
    storage.first(`SELECT count(*) FROM ${quote(contentType(model, uid).table)}`)![0] as number;
  return [
    route("GET", "/content-manager/homepage/recent-documents", ({ query }) => {
      const { action } = query();
      if (!isAction(action)) throw validationError('Invalid option: expected one of "update"|"publish"');
      const key = times[action];
      const types = displayed().filter((type) => action === "update" || type.draftAndPublish);
      const found = types.flatMap((type) => {
        const shown = configurations.type(type.uid);
        const mainField = shown ? String(configurations.of(shown).settings.mainField) : "documentId";
        return newest(context, type, { mainField, action, limit: MAX_DOCUMENTS });
      });
      const data = found.sort((a, b) => (String(a[key]) < String(b[key]) ? 1 : -1)).slice(0, MAX_DOCUMENTS);
      return ok({ data });
    }),
    route("GET", "/content-manager/homepage/count-documents", () => {
      const data = { draft: 0, modified: 0, published: 0 };
      for (const type of displayed()) {
        const [draft = 0, modified = 0, published = 0] = countDocuments(context, type);
        data.draft += draft;
        data.modified += modified;
        data.published += published;
      }
      return ok({ data });
    }),
    route("GET", "/admin/homepage/key-statistics", () =>
      ok({
        data: {
          assets: count(FILE),
          contentTypes: schema.types.filter(isVisible).length,
          components: new Set(schema.components.map(({ category }) => category)).size,
          locales: count(LOCALE),
          admins: 1,
          webhooks: ((storage.metaJson("webhooks") ?? []) as unknown[]).length,
          apiTokens: tokens.list().filter(({ type }) => type !== "admin").length,
        },
      }),
    ),
  ];
}

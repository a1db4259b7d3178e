/** Explains why a document is missing from a response: it does not exist, is a draft, lacks the locale, or does not match. */

import { manyLocales, oneLocale } from "../../engine/documents/document-reads.ts";
import { rowId } from "../../engine/media/row-id.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Scope } from "../../engine/query/where.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Project } from "../project/project.ts";
import { passed, type ReadAnswer, refused, remark, type Step } from "./step.ts";

interface Version {
  readonly locale: string | null;
  readonly status: string;
}

function listVersions({ context }: Project, type: ContentType, documentId: string): Version[] {
  const sql = `SELECT locale, status FROM ${quote(type.table)} WHERE document_id = ? ORDER BY locale, status LIMIT 1000`;
  return context.storage.all(sql, [documentId]).map(([locale, status]) => ({ locale, status }) as Version);
}

const readsDrafts = ({ status }: Params): boolean => status !== undefined && status !== "published";

function missingDocument(project: Project, type: ContentType, documentId: string, params: Params): Step {
  const { storage } = project.context;
  const versions = listVersions(project, type, documentId);
  if (versions.length === 0) {
    const id = rowId(documentId);
    const sql = `SELECT document_id FROM ${quote(type.table)} WHERE id = ?`;
    const [ownDocumentId] = (id === undefined ? undefined : storage.first(sql, [id])) ?? [];
    if (typeof ownDocumentId === "string")
      return refused(
        `404: the path needs a documentId, and ${documentId} is an id; the document's is ${ownDocumentId}`,
        {
          kind: "document",
          uid: type.uid,
          documentId: ownDocumentId,
          locale: null,
        },
      );
    return refused(`404: ${type.displayName} has no document ${documentId}`);
  }
  const locales = oneLocale(project.context, type, params);
  const inLocale = versions.filter(({ locale }) => !locales || locales.includes(locale));
  const locale = locales?.[0] ?? null;
  const link = { kind: "document", uid: type.uid, documentId, locale } as const;
  if (inLocale.length === 0) {
    const others = [...new Set(versions.map(({ locale }) => locale))].join(", ");
    return refused(`404: the document is not there in the locale ${locale}, only in ${others}`, {
      ...link,
      locale: versions[0]?.locale ?? null,
    });
  }
  if (type.draftAndPublish && !readsDrafts(params) && inLocale.every(({ status }) => status === "draft"))
    return refused("404: the document is a draft that is not published; status=draft reads drafts", link);
  return refused("404: the document is there, and the filters leave it out", link);
}

function countDrafts({ context }: Project, { table }: ContentType, locales: Scope["locales"]): number {
  const name = quote(table);
  const inLocales = locales ? "AND ifnull(d.locale, '') IN (SELECT value FROM json_each(?))" : "";
  const sql = `SELECT count(DISTINCT d.document_id) FROM ${name} d WHERE d.status = 'draft' ${inLocales} AND NOT EXISTS
    (SELECT 1 FROM ${name} p WHERE p.document_id = d.document_id AND p.locale IS d.locale AND p.status = 'published')`;
  const params = locales ? [JSON.stringify(locales.map((locale) => locale ?? ""))] : [];
  return context.storage.first(sql, params)?.[0] as number;
}

function countInOtherLocales(
  { context }: Project,
  { table }: ContentType,
  locales: readonly (string | null)[],
): number {
  const name = quote(table);
  const list = JSON.stringify(locales);
  const sql = `SELECT count(DISTINCT d.document_id) FROM ${name} d WHERE NOT EXISTS (SELECT 1 FROM ${name} o
    WHERE o.document_id = d.document_id AND o.locale IN (SELECT value FROM json_each(?)))`;
  return context.storage.first(sql, [list])?.[0] as number;
}

const countText = (count: number): string => `${count} ${count === 1 ? "document" : "documents"}`;

/** Documents that a list leaves out because of their status or locale. */
function listSteps(project: Project, type: ContentType, params: Params): Step[] {
  const locales = manyLocales(project.context, type, params);
  const steps: Step[] = [];
  const drafts = type.draftAndPublish && !readsDrafts(params) ? countDrafts(project, type, locales) : 0;
  if (drafts > 0)
    steps.push(
      remark(`${countText(drafts)} not published: drafts are read with status=draft only`, {
        kind: "type",
        uid: type.uid,
      }),
    );
  const otherLocales = type.localized && locales ? countInOtherLocales(project, type, locales) : 0;
  if (otherLocales > 0)
    steps.push(
      remark(`${countText(otherLocales)} not there in the locale ${locales?.join(", ")}: locale=* reads all of them`),
    );
  return steps;
}

/** `documentId`: set for routes of one document. */
export function documentSteps(
  project: Project,
  type: ContentType,
  params: Params,
  documentId: string | undefined,
  { status, body }: ReadAnswer,
): Step[] {
  if (documentId !== undefined)
    return status === 404 ? [missingDocument(project, type, documentId, params)] : [passed("The document is there")];
  if (type.kind === "singleType") {
    if (status !== 404) return [passed("The document is there")];
    const sql = `SELECT document_id FROM ${quote(type.table)} LIMIT 1`;
    const [firstId] = project.context.storage.first(sql) ?? [];
    return [
      typeof firstId === "string"
        ? missingDocument(project, type, firstId, params)
        : refused(`404: ${type.displayName} has no document yet`, { kind: "type", uid: type.uid }),
    ];
  }
  const { total } = (body as { meta?: { pagination?: { total?: number } } } | null)?.meta?.pagination ?? {};
  const text = total === undefined ? "Documents are read" : `${countText(total)} found`;
  return status === 200 ? [passed(text), ...listSteps(project, type, params)] : [];
}

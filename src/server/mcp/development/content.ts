/** Tools for content: found, created, seeded, imported, replaced and translated, many documents at once. */
import { z } from "zod";
import { createConfigurations } from "../../../admin/content-manager/configuration/routes.ts";
import { listDocuments } from "../../../admin/content-manager/list.ts";
import { Writes } from "../../../admin/content-manager/writes.ts";
import { readFilled } from "../../../admin/i18n/fill.ts";
import { listLocales } from "../../../admin/i18n/locales.ts";
import { rehearseRows } from "../../../admin/rows/routes.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Document } from "../../../engine/query/select.ts";
import { holdsComponents, mapComponents } from "../../../engine/schema/entries.ts";
import type { ContentType, Model, Schema } from "../../../engine/schema/model.ts";
import { quote } from "../../../engine/storage/sql.ts";
import { notFound, validationError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { mapValues, pickBy } from "../../../lib/records.ts";
import { withIdentities } from "../content/identity.ts";
import { CONTENT_NOTICE, fitting, MAX_DOCUMENTS, shortened, textPart } from "./answers.ts";
import { findLeftOut } from "./document-data.ts";
import { containsText, expectText, replaceText } from "./texts.ts";
import { always, type DevelopmentTool, tool } from "./tool.ts";
import type { Workspace } from "./workspace.ts";
import { findType } from "./workspace.ts";
import { type DocumentWrite, expectNone, singleDocument, writeAll, writeSamples } from "./write-all.ts";

const MAX_WRITTEN = 100;
const MAX_SEARCHED = 1000;
const MAX_TEXT = 4000;
const DATA = "Data is that of REST: relations are documentIds, files their ids.";
const uid = z.string().max(200).describe("Of a content-type, such as api::article.article");
const locale = z.string().max(20).optional();
const fieldName = z.string().max(100);
const publish = z.boolean().optional().describe("Whether drafts are published, too");
const apply = z.boolean().describe("false only shows what would be written");
const filters = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('As in REST, such as { "title": { "$contains": "a" } }');

/** Throws a ValidationError that names what the type does not have. */
function expectAttributes(type: ContentType, names: readonly string[]): void {
  const unknown = [...new Set(names)].filter((name) => !type.attributes.has(name));
  if (unknown.length > 0)
    throw validationError(`${type.uid} has no ${unknown.join(", ")}: model_show lists its attributes`);
}

/** Throws a ValidationError that names the locales. */
function expectLocale(context: DocumentsContext, type: ContentType, code: string | undefined): void {
  if (code === undefined || !type.localized) return;
  const codes = listLocales(context).map((locale) => locale.code);
  if (!codes.includes(code)) throw validationError(`There is no locale ${code}: the project has ${codes.join(", ")}`);
}

/** Throws a NotFoundError. */
function expectDocument({ storage }: DocumentsContext, { uid, table }: ContentType, documentId: string): void {
  if (!storage.first(`SELECT 1 FROM ${quote(table)} WHERE document_id = ? LIMIT 1`, [documentId]))
    throw notFound(`${uid} has no document ${documentId}: content_find lists documents with their documentId`);
}

/** Of each document that is found. */
const ALWAYS: readonly string[] = ["documentId", "status", "locale"];
const MEDIA_KEYS = ["id", "name", "url", "alternativeText"] as const;

/** A file in an answer: its id, which documents link, and what tells it from others. */
const mediaOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(mediaOf)
    : isRecord(value)
      ? Object.fromEntries(MEDIA_KEYS.map((key) => [key, value[key]]))
      : value;

const readPage = (
  { project }: Workspace,
  type: ContentType,
  params: Document,
  options?: Parameters<typeof listDocuments>[3],
) => {
  const own = { ...params, ...(type.localized ? {} : { locale: undefined }), populate: "*" };
  return listDocuments(project.context, type, own, options);
};

/** Throws a ValidationError for data of which something would be left out. */
const expectWhole = (model: Model, type: ContentType, documents: readonly Document[]): void =>
  expectNone(
    documents.flatMap((data, index) =>
      findLeftOut(model, type, data).map((problem) => `document ${index}: ${problem}`),
    ),
  );

/** Data without the keys of the form that the content manager fills. */
const withoutFormKeys = (model: Model, schema: Schema, data: Document): Document =>
  Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      const attribute = schema.attributes.get(key);
      if (key === "__component") return [[key, value]];
      if (!attribute) return [];
      if (attribute.kind === "relation" && isRecord(value) && Array.isArray(value.connect)) {
        const connect = value.connect.map(({ documentId, locale: code }) => ({
          documentId,
          ...(code ? { locale: code } : {}),
        }));
        return [[key, { connect }]];
      }
      if (!holdsComponents(attribute)) return [[key, value]];
      return [[key, mapComponents(model, attribute, value, (inner, entry) => withoutFormKeys(model, inner, entry))]];
    }),
  );

/** The documents with a text in an attribute; throws a ValidationError for more than one call changes. */
async function findText(
  workspace: Workspace,
  type: ContentType,
  field: string,
  text: string,
  code: string | undefined,
) {
  const params = { filters: containsText(type, field, text), pageSize: MAX_SEARCHED, locale: code };
  // they are written back: what code shows in their place would be stored
  const { results, pagination } = await readPage(workspace, type, params, { asStored: true });
  if (pagination.total > MAX_SEARCHED)
    throw validationError(`${pagination.total} documents have it: at most ${MAX_SEARCHED} are changed at once`);
  return results;
}

/** The documents that a locale has and another one lacks. */
function findMissing({ project }: Workspace, type: ContentType, from: string, to: string): string[] {
  const table = quote(type.table);
  const sql = `SELECT document_id FROM ${table} WHERE locale = ?1 AND status = ?2
    AND document_id NOT IN (SELECT document_id FROM ${table} WHERE locale = ?3) ORDER BY id`;
  const status = type.draftAndPublish ? "draft" : "published";
  return project.context.storage.all(sql, [from, status, to]).map(([documentId]) => String(documentId));
}

export const contentTools: readonly DevelopmentTool[] = [
  tool({
    name: "content_find",
    title: "Find documents",
    description: `Lists at most ${MAX_DOCUMENTS} documents with the fields that are named. Relations have the identity of their targets, files their id, name and url.`,
    input: z.strictObject({
      uid,
      fields: z.array(fieldName).min(1).max(20),
      filters,
      sort: z.union([z.string(), z.array(z.string())]).optional(),
      page: z.number().int().min(1).optional(),
      status: z.enum(["draft", "published"]).optional(),
      locale,
    }),
    run: async (workspace, { uid: name, fields, ...params }) => {
      const type = findType(workspace.project, name);
      expectAttributes(
        type,
        fields.filter((field) => !ALWAYS.includes(field)),
      );
      expectLocale(workspace.project.context, type, params.locale);
      const { results, pagination } = await readPage(workspace, type, { ...params, pageSize: MAX_DOCUMENTS });
      const names = new Set([...ALWAYS, ...fields].filter((field) => field !== "locale" || type.localized));
      const documents = results.map((document) => {
        const shown = withIdentities(workspace.project.model, type, document);
        const named = pickBy(shown, (_, key) => names.has(key));
        return mapValues(named, (value, key) => (type.attributes.get(key)?.kind === "media" ? mediaOf(value) : value));
      });
      return { notice: CONTENT_NOTICE, documents: shortened(documents), pagination };
    },
  }),
  tool({
    name: "content_text",
    title: "Read on in a text",
    description: `Reads ${MAX_TEXT} characters of an attribute, from a position.`,
    input: z.strictObject({
      uid,
      documentId: z.string().max(255),
      field: fieldName,
      from: z.number().int().min(0).optional(),
      locale,
    }),
    run: (workspace, { uid: name, documentId, field, from = 0, locale: code }) => {
      const type = findType(workspace.project, name);
      expectAttributes(type, [field]);
      const found = new Writes(workspace.project.context, type).find(documentId, code);
      if (!found) throw notFound(`There is no document ${documentId}: content_find lists documents`);
      const value = found[field];
      const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
      return { notice: CONTENT_NOTICE, ...textPart(text, from, MAX_TEXT) };
    },
  }),
  tool({
    name: "content_create",
    title: "Create documents",
    description: `Creates at most ${MAX_WRITTEN} documents, all or none. ${DATA}`,
    input: z.strictObject({
      uid,
      documents: z.array(z.record(z.string(), z.unknown())).min(1).max(MAX_WRITTEN),
      publish,
      locale,
    }),
    changes: always,
    run: async (workspace, { uid: name, documents, publish: publishes, locale: code }) => {
      const type = findType(workspace.project, name);
      const { context } = workspace.project;
      expectAttributes(type, documents.flatMap(Object.keys));
      expectLocale(context, type, code);
      expectWhole(context.model, type, documents);
      const documentId = singleDocument(context, type, { count: documents.length, locale: code });
      const written = documents.map((data) => ({
        ...(documentId === undefined ? {} : { documentId }),
        data,
        locale: code,
        publish: publishes,
      }));
      const documentIds = await writeAll(context, type, written);
      return { created: documentIds.length, documentIds };
    },
  }),
  tool({
    name: "content_update",
    title: "Update documents",
    description: `Changes attributes of at most ${MAX_WRITTEN} documents, in one locale, all or none, and leaves the others. ${DATA} A locale that a document lacks is created.`,
    input: z.strictObject({
      uid,
      documents: z
        .array(z.strictObject({ documentId: z.string().max(255), data: z.record(z.string(), z.unknown()) }))
        .min(1)
        .max(MAX_WRITTEN),
      publish,
      locale,
    }),
    changes: always,
    run: async ({ project }, { uid: name, documents, publish: publishes, locale: code }) => {
      const type = findType(project, name);
      const { context } = project;
      const data = documents.map((document) => document.data);
      expectAttributes(type, data.flatMap(Object.keys));
      expectLocale(context, type, code);
      for (const { documentId } of documents) expectDocument(context, type, documentId);
      expectWhole(context.model, type, data);
      const written = documents.map((document) => ({ ...document, locale: code, publish: publishes }));
      return { updated: (await writeAll(context, type, written)).length };
    },
  }),
  tool({
    name: "content_seed",
    title: "Create sample documents",
    description:
      "Creates plausible documents of a type, at most 50, all or none, which link to documents that are there. The seed decides their values.",
    input: z.strictObject({
      uid,
      count: z.number().int().min(1).max(50),
      seed: z.string().max(100).optional(),
      publish,
      locale,
    }),
    changes: always,
    run: ({ project }, { uid: name, count, seed = "1", publish: publishes = false, locale: code }) =>
      writeSamples(project.context, findType(project, name), { count, seed, publish: publishes, locale: code }),
  }),
  tool({
    name: "content_import",
    title: "Import rows",
    description:
      "Creates a document for each row of a table, all or none. Cells are texts; those of relations and media are names or ids of targets, separated by commas.",
    input: z.strictObject({
      uid,
      columns: z.array(fieldName).min(1).max(50),
      rows: z.array(z.array(z.string()).max(50)).min(1).max(MAX_WRITTEN),
      publish,
      locale,
      apply,
    }),
    changes: (args) => args.apply,
    run: async ({ project }, { apply: applies, publish: publishes = false, locale: code, ...table }) => {
      const type = findType(project, table.uid);
      const body = { ...table, publish: publishes, ...(code ? { locale: code } : {}) };
      const { refused, documents } = await rehearseRows(project.context, { ...body, isTrial: true });
      if (!applies)
        return { wouldCreate: documents.length, refused: fitting(refused).shown, refusedRows: refused.length };
      expectNone(
        refused.map(({ row, problems }) => `row ${row}: ${problems.map(({ message }) => message).join(", ")}`),
      );
      const written = documents.map((data) => ({ data, locale: code, publish: publishes }));
      return { created: (await writeAll(project.context, type, written)).length };
    },
  }),
  tool({
    name: "content_replace",
    title: "Find and replace",
    description:
      "Replaces a text in an attribute of all documents that have it. Shows their number and examples unless apply is true.",
    input: z.strictObject({
      uid,
      field: fieldName,
      find: z.string().min(1).max(500),
      replace: z.string().max(500),
      locale,
      apply,
    }),
    changes: (args) => args.apply,
    run: async (workspace, { uid: name, field, find, replace, locale: code, apply: applies }) => {
      const type = findType(workspace.project, name);
      expectText(type, field);
      const change = (document: Document): unknown => replaceText(document[field], find, replace);
      // blocks have it in other places, too, such as the names of their nodes
      const found = (await findText(workspace, type, field, find, code)).filter(
        (document) => JSON.stringify(change(document)) !== JSON.stringify(document[field]),
      );
      if (!applies) {
        const examples = found
          .slice(0, 3)
          .map((document) => ({ documentId: document.documentId, before: document[field], after: change(document) }));
        return { notice: CONTENT_NOTICE, wouldChange: found.length, examples: shortened(examples) };
      }
      const written = found.map((document) => ({
        documentId: document.documentId as string,
        data: { [field]: change(document) },
        locale: document.locale as string,
      }));
      await writeAll(workspace.project.context, type, written);
      return { changed: found.length };
    },
  }),
  tool({
    name: "content_fill_locale",
    title: "Fill in a locale",
    description: `Copies documents to a locale that they lack, as a start for a translation, at most ${MAX_SEARCHED} at once. Shows their number unless apply is true.`,
    input: z.strictObject({ uid, from: z.string().max(20), to: z.string().max(20), apply }),
    changes: (args) => args.apply,
    run: async (workspace, { uid: name, from, to, apply: applies }) => {
      const type = findType(workspace.project, name);
      if (!type.localized) throw validationError(`${name} is not localized: model_plan with localized changes that`);
      const { context, model } = workspace.project;
      expectLocale(context, type, from);
      expectLocale(context, type, to);
      const missing = findMissing(workspace, type, from, to);
      if (!applies) return { wouldFill: missing.length };
      const configurations = createConfigurations(workspace.services);
      const written: DocumentWrite[] = [];
      for (const documentId of missing.slice(0, MAX_SEARCHED)) {
        const filled = readFilled(context, configurations, type, { documentId, from, to });
        written.push({ documentId, data: withoutFormKeys(model, type, filled), locale: to });
      }
      await writeAll(context, type, written);
      const left = missing.length - written.length;
      return { filled: written.length, ...(left > 0 ? { left } : {}) };
    },
  }),
];

/** `/content-manager/relations`: available and existing targets of a relation. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import { readSort } from "../../engine/query/list-params.ts";
import { isComparison } from "../../engine/query/operators.ts";
import { readSearch } from "../../engine/query/parse.ts";
import type { Status } from "../../engine/query/reading.ts";
import { countRows, findRows, prepareRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { allOf, type Condition, emptyQuery, ID, type Query } from "../../engine/query/tree.ts";
import {
  type ContentType,
  contentType,
  findType,
  type Model,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { filledString } from "../../lib/coerce.ts";
import { notFound, validationError } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { ensureAdministrator } from "../administrator.ts";
import { type Fields, ids, objectOf } from "../body.ts";
import { type AdminCall, type AdminRoute, ok, route } from "../call.ts";
import { documentIdsOf, readRows } from "../read-rows.ts";
import { knownFilters } from "../whole-model.ts";
import { readCondition, withoutSecretKeys } from "./conditions.ts";
import type { Configurations } from "./configuration/routes.ts";
import { isListable } from "./configuration/shown-type.ts";
import { dimensions } from "./input.ts";
import { createPages } from "./list.ts";
import { findMainField } from "./main-field.ts";
import { readStates } from "./versions.ts";
import { wholeRow } from "./whole-query.ts";

const PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 100;
const MAX_IDS = 1000;

interface Source {
  readonly schema: Schema;
  readonly attribute: RelationAttribute;
  /** Undefined where links lead to several types. */
  readonly target: ContentType | undefined;
  /** Undefined for sources without drafts. */
  readonly status: Status | undefined;
  readonly locale: string | undefined;
  readonly page: number;
  readonly pageSize: number;
}

const upTo = (max: number): Shape => ({
  type: "number",
  tests: [
    (value: number, path) =>
      Number.isInteger(value) && value >= 1 && value <= max ? undefined : `${path} must be an integer from 1 to ${max}`,
  ],
});
const sourceFields: Fields = {
  page: upTo(Math.floor(Number.MAX_SAFE_INTEGER / MAX_PAGE_SIZE)),
  pageSize: upTo(MAX_PAGE_SIZE),
  ...dimensions,
};

/** The fields of targets that a relation's form shows. */
function mainFieldIn(configurations: Configurations, { uid }: Schema, field: string, target: ContentType): string {
  const type = configurations.type(uid);
  const mainField = type && configurations.of(type).metadatas[field]?.edit.mainField;
  const shown = configurations.type(target.uid);
  if (typeof mainField === "string" && shown && isListable(shown, mainField)) return mainField;
  return mainField === undefined ? findMainField(target) : "documentId";
}

/** `fields`: further parameters. */
function readSource({ model }: DocumentsContext, { params, query }: AdminCall, fields: Fields = {}): Source {
  const input = checkBody(objectOf({ ...sourceFields, ...fields }), query());
  const { page = 1, pageSize = PAGE_SIZE, locale, status } = input;
  const { model: uid = "", targetField = "" } = params;
  const schema: Schema | undefined = model.types.get(uid) ?? model.components.get(uid);
  if (!schema) throw validationError(`The model ${uid} doesn't exist`);
  const attribute = schema.attributes.get(targetField);
  const target = attribute?.kind === "relation" && attribute.target ? findType(model, attribute.target) : undefined;
  const isLinked = attribute?.kind === "relation" && (!attribute.system || attribute.target === undefined);
  if (attribute?.kind !== "relation" || !isLinked || (attribute.target !== undefined && !target))
    throw validationError(`The relational field ${targetField} doesn't exist on ${uid}`);
  const hasDrafts = schema.modelType === "component" || schema.draftAndPublish;
  return {
    schema,
    attribute,
    target,
    status: hasDrafts ? (status === "published" ? status : "draft") : undefined,
    locale: filledString(locale),
    page: page as number,
    pageSize: pageSize as number,
  };
}

/** The row that owns the links: a component by its id, or a version of a document, without a locale the one whose code is first. */
function sourceRow({ storage }: DocumentsContext, { schema, status, locale }: Source, id: string): number {
  const found =
    schema.modelType === "component"
      ? storage.first(`SELECT id FROM ${quote(schema.table)} WHERE id = ?`, [/^\d{1,15}$/.test(id) ? Number(id) : -1])
      : storage.first(
          `SELECT id FROM ${quote(schema.table)} WHERE document_id = ? AND status = ? AND (? IS NULL OR locale = ?) ORDER BY locale, id LIMIT 1`,
          [id, status ?? "published", schema.localized ? (locale ?? null) : null, locale ?? null],
        );
  if (!found) throw notFound("Entity not found");
  return found[0] as number;
}

function shownFields(target: ContentType, mainField: string): Query {
  const names = new Set([mainField, "publishedAt", "updatedAt", ...(target.localized ? ["locale"] : [])]);
  const whole = wholeRow(target);
  return { ...whole, fields: whole.fields.filter(({ name }) => names.has(name)) };
}

function withStatus(context: DocumentsContext, target: ContentType, rows: readonly Document[]): Document[] {
  if (!target.draftAndPublish) return [...rows];
  const stateOf = readStates(context, target, documentIdsOf(rows));
  return rows.map((row) => ({ ...row, status: stateOf(row) ?? "draft" }));
}

const readIds = (value: unknown): unknown[] => [value ?? []].flat().slice(0, MAX_IDS);

const toIntegers = (values: readonly unknown[]): number[] =>
  values.map(Number).filter((number) => Number.isSafeInteger(number));

interface Linked {
  readonly id: number;
  readonly documentId: string;
  readonly uid: string;
}

/** The targets of a row's links, in order. */
function linkedTo(context: DocumentsContext, { attribute, schema, target, status }: Source, row: number): Linked[] {
  const createIdQuery = (type: ContentType): Query => ({ ...emptyQuery(type), fields: [] });
  const on = target ? undefined : new Map([...context.model.types].map(([uid, type]) => [uid, createIdQuery(type)]));
  const query: Query = {
    ...emptyQuery(schema),
    fields: [],
    where: { kind: "compare", field: ID, operator: "$eq", operand: row },
    populate: [{ key: "found", attribute, count: false, query: target && createIdQuery(target), on }],
  };
  const [document] = readRows(context, status ?? "draft", query);
  return ([document?.found ?? []].flat() as Document[]).map(
    ({ id, documentId, __type }) => ({ id, documentId, uid: target?.uid ?? __type }) as Linked,
  );
}

/** Polymorphic links point to each version of a document, which is listed once. */
const oncePerDocument = (linked: readonly Linked[]): Linked[] =>
  [...Map.groupBy(linked, ({ documentId }) => documentId).values()].map(([first]) => first!);

/** The type to search. For polymorphic relations, where Strapi fails, `target` names it. */
function searchedType(model: Model, { target, attribute }: Source, targetParam: unknown): ContentType {
  const named = target ?? (typeof targetParam === "string" ? model.types.get(targetParam) : undefined);
  if (named) return named;
  throw validationError(`The relation ${attribute.name} leads to several types: target must name one of them`);
}

async function findAvailable(context: DocumentsContext, configurations: Configurations, call: AdminCall) {
  const { storage, model } = context;
  const source = readSource(context, call, {
    id: { type: "strapiID", strict: true },
    idsToOmit: ids,
    idsToInclude: ids,
  });
  if (source.target === model.creator) await ensureAdministrator(context);
  const { schema, attribute, locale, page, pageSize } = source;
  const { id, idsToOmit, idsToInclude, _q, _filter, filters, sort, target: named } = call.query();
  const target = searchedType(model, source, named);
  const mainField = mainFieldIn(configurations, schema, attribute.name, target);
  const status = target.draftAndPublish ? (source.status ?? "draft") : "published";
  const search = readSearch(_q);
  const operator = typeof _filter === "string" && isComparison(_filter) ? _filter : "$containsi";
  const parts: (Condition | undefined)[] = [
    readCondition(model, target, knownFilters(model, target, filters || undefined)),
    search === undefined ? undefined : readCondition(model, target, { [mainField]: { [operator]: search } }),
  ];
  const omitted = toIntegers(readIds(idsToOmit));
  if (id !== undefined && id !== "") {
    const row = sourceRow(context, source, String(id));
    const included = new Set(toIntegers(readIds(idsToInclude)));
    const linked = linkedTo(context, source, row).filter(({ uid }) => uid === target.uid);
    omitted.push(...linked.map((item) => item.id).filter((linkedId) => !included.has(linkedId)));
  }
  if (omitted.length > 0) parts.push({ kind: "compare", field: ID, operator: "$notIn", operand: omitted });
  const where = allOf(parts.filter((part) => part !== undefined));
  const shown = shownFields(target, mainField);
  const main = shown.fields.find(({ name }) => name === mainField);
  const field = main ? { name: main.name, column: main.column, type: main.type } : ID;
  const query = trustedQuery({
    ...shown,
    where,
    sort: sort ? withoutSecretKeys(readSort(model, target, sort), target) : [{ path: [], field, descending: false }],
    start: (page - 1) * pageSize,
    limit: pageSize,
  });
  const scope = { locales: target.localized ? (locale ? [locale] : undefined) : [null] };
  const reading = await prepareRows({ storage, model, status }, query, scope, true);
  const rows = findRows(reading, query, scope, { counted: true });
  const total = countRows(reading, query, scope);
  return { results: withStatus(context, target, rows), pagination: createPages(page, pageSize, total) };
}

function findExisting(context: DocumentsContext, configurations: Configurations, call: AdminCall): unknown {
  const source = readSource(context, call);
  const { schema, target, attribute, page, pageSize } = source;
  const row = sourceRow(context, source, call.params.id ?? "");
  const all = linkedTo(context, source, row);
  const linked = (target ? all : oncePerDocument(all)).reverse();
  const start = (page - 1) * pageSize;
  const shown = attribute.many ? linked.slice(start, start + pageSize) : linked.slice(0, 1);
  const found = new Map<string, Document>();
  const buildKey = (uid: string, id: unknown): string => `${uid} ${id}`;
  for (const [uid, ofType] of Map.groupBy(shown, (item) => item.uid)) {
    const type = contentType(context.model, uid);
    const ids = ofType.map(({ id }) => id);
    const where: Condition = { kind: "compare", field: ID, operator: "$in", operand: ids };
    const fields = shownFields(type, mainFieldIn(configurations, schema, attribute.name, type));
    for (const item of withStatus(context, type, readRows(context, undefined, { ...fields, where })))
      found.set(buildKey(uid, item.id), target ? item : { ...item, __type: uid });
  }
  const results = shown.map(({ uid, id }) => found.get(buildKey(uid, id))).filter((item) => item !== undefined);
  const pagination = attribute.many
    ? createPages(page, pageSize, linked.length)
    : { page: 1, pageCount: 1, pageSize: PAGE_SIZE, total: results.length };
  return { pagination, results };
}

export const relationRoutes = (context: DocumentsContext, configurations: Configurations): AdminRoute[] => [
  // routers need one parameter name per position
  route("GET", "/content-manager/relations/:model/:id", async ({ params, ...call }) =>
    ok(await findAvailable(context, configurations, { ...call, params: { ...params, targetField: params.id ?? "" } })),
  ),
  route("GET", "/content-manager/relations/:model/:id/:targetField", (call) =>
    ok(findExisting(context, configurations, call)),
  ),
];

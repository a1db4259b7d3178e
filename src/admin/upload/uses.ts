/** Uses of files in media attributes and by URL in texts, and unused files. For the admin page only. */

import { linkKind } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { readSearch } from "../../engine/query/parse.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../../engine/schema/entries.ts";
import {
  type Component,
  type ContentType,
  contentType,
  type ScalarAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote, rowLimit } from "../../engine/storage/sql.ts";
import { notFound } from "../../lib/errors.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { createPages, readPages } from "../content-manager/list.ts";
import { findMainField } from "../content-manager/main-field.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";
import { readFiles } from "./files.ts";

/** Attributes of these types may hold the URL of a file. */
const TYPES: ReadonlySet<string> = new Set(["string", "text", "richtext", "blocks", "json"]);

const UPLOADS = "/uploads/";
/** The name of a file in its URL, or that of one of its copies. */
const NAME = /\/uploads\/([\w.~%-]+)/g;

interface TextColumn {
  readonly schema: Schema;
  readonly attribute: ScalarAttribute;
}

function textColumns({ model }: DocumentsContext): TextColumn[] {
  return [...model.types.values(), ...model.components.values()].flatMap((schema) =>
    // rows of files contain their own URLs
    "plugin" in schema && schema.plugin
      ? []
      : [...schema.attributes.values()].flatMap((attribute) =>
          attribute.kind === "scalar" && !attribute.type.isSecret && TYPES.has(attribute.type.name)
            ? [{ schema, attribute }]
            : [],
        ),
  );
}

/** Rows whose text has `needle`, at most `limit`. */
function rowsWith(
  { storage }: DocumentsContext,
  { schema, attribute }: TextColumn,
  needle: string,
  limit: number,
): number[] {
  const sql = `SELECT id FROM ${quote(schema.table)} WHERE instr(${quote(attribute.column)}, ?) > 0 ${rowLimit()}`;
  return storage.all(sql, [needle, limit]).map(([id]) => id as number);
}

/** The name, and what remains of it without the key of a copy in front: `thumbnail_a_1.png`, `a_1.png`, `1.png`. */
function suffixes(name: string): string[] {
  const stem = name.replace(/\.[^.]*$/, "");
  const parts = stem.split("_");
  return parts.map((_, index) => parts.slice(index).join("_"));
}

/**
 * The subset of `hashes` that texts name. Reads every text that names any file. Other requests are handled after each attribute, so the
 * content may change in between.
 */
async function namedInTexts(context: DocumentsContext, hashes: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { schema, attribute } of textColumns(context)) {
    const column = quote(attribute.column);
    const sql = `SELECT ${column} FROM ${quote(schema.table)} WHERE instr(${column}, ?) > 0`;
    for (const [text] of context.storage.all(sql, [UPLOADS]))
      for (const [, name = ""] of String(text).matchAll(NAME))
        for (const hash of suffixes(name)) if (hashes.has(hash)) found.add(hash);
    await Bun.sleep(0);
  }
  return found;
}

/** A row of a content-type, and its attribute that contains the component. */
interface Owner {
  readonly type: ContentType;
  readonly row: number;
  readonly attribute: string;
}

interface Holder {
  readonly schema: Schema;
  readonly attribute: ComponentOrZoneAttribute;
}

/** Limits the depth, so that damaged data cannot cause an endless loop. */
const MAX_DEPTH = 32;

/** The attributes that may contain entries of a component. A zone may contain some that it no longer lists. */
function listHolders({ model }: DocumentsContext, component: Component): Holder[] {
  return [...model.types.values(), ...model.components.values()].flatMap((schema) =>
    [...schema.attributes.values()]
      .filter(holdsComponents)
      .filter((attribute) => attribute.kind === "zone" || attribute.component === component.uid)
      .map((attribute) => ({ schema, attribute })),
  );
}

/** `rows` have `attribute`. One statement per attribute that may hold the component, and per level. */
function findOwners(
  context: DocumentsContext,
  schema: Schema,
  rows: readonly number[],
  attribute: string,
  depth = 0,
): Owner[] {
  if (rows.length === 0 || depth > MAX_DEPTH) return [];
  if (schema.modelType === "contentType") return rows.map((row) => ({ type: schema, row, attribute }));
  const { storage } = context;
  return listHolders(context, schema).flatMap((holder) => {
    const sql = `SELECT DISTINCT owner FROM galley_links
      WHERE field = ? AND kind = ? AND target IN (SELECT value FROM json_each(?))`;
    const params = [
      storage.number(holder.attribute.link.field),
      linkKind(context, holder.attribute, schema),
      JSON.stringify(rows),
    ];
    const owners = storage.all(sql, params).map(([owner]) => owner as number);
    return findOwners(context, holder.schema, owners, holder.attribute.name, depth + 1);
  });
}

/** A version of a document that uses a file. */
interface Use {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly title: string;
  /** An attribute of the document; the use may be in a component below it. */
  readonly attribute: string;
  readonly isDraft: boolean;
  readonly isPublished: boolean;
}

/** Maximum number of listed uses per file. */
const MAX_USES = 200;

interface MediaField {
  readonly schema: Schema;
  readonly attribute: string;
  readonly field: string;
}

function mediaFields({ model }: DocumentsContext): MediaField[] {
  return [...model.types.values(), ...model.components.values()].flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute) =>
      attribute.kind === "media" ? [{ schema, attribute: attribute.name, field: attribute.link.field }] : [],
    ),
  );
}

function linkOwners(context: DocumentsContext, file: number): Owner[] {
  const { storage } = context;
  return mediaFields(context).flatMap(({ schema, attribute, field }) => {
    const sql = `SELECT DISTINCT owner FROM galley_links WHERE field = ? AND target = ? AND kind = 0 ${rowLimit()}`;
    const rows = storage.all(sql, [storage.number(field), file, MAX_USES + 1]);
    return findOwners(
      context,
      schema,
      rows.map(([owner]) => owner as number),
      attribute,
    );
  });
}

const textOwners = (context: DocumentsContext, hash: string): Owner[] =>
  textColumns(context).flatMap((column) =>
    findOwners(context, column.schema, rowsWith(context, column, hash, MAX_USES + 1), column.attribute.name),
  );

/** The column that names a document; undefined for types without one. */
function titleColumn(type: ContentType): string | undefined {
  const main = type.attributes.get(findMainField(type));
  return main?.kind === "scalar" ? main.column : undefined;
}

/** The draft and the published version count as one use, in each locale. */
function asUses({ storage }: DocumentsContext, owners: readonly Owner[]): Use[] {
  const uses = new Map<string, Use>();
  for (const [type, owned] of Map.groupBy(owners, (owner) => owner.type)) {
    const title = titleColumn(type);
    const sql = `SELECT id, document_id, locale, status, ${title ? quote(title) : "NULL"} FROM ${quote(type.table)}
      WHERE id IN (SELECT value FROM json_each(?))`;
    const rows = storage.all(sql, [JSON.stringify(owned.map(({ row }) => row))]) as [
      number,
      string,
      string | null,
      string,
      string | null,
    ][];
    const byId = new Map(rows.map((row) => [row[0], row]));
    for (const { row, attribute } of owned) {
      const [, documentId, locale, status, text] = byId.get(row) ?? [];
      if (documentId === undefined) continue;
      const key = JSON.stringify([type.uid, documentId, locale, attribute]);
      const previous = uses.get(key);
      uses.set(key, {
        uid: type.uid,
        documentId,
        locale: locale ?? null,
        attribute,
        title: (status === "published" && previous?.title) || String(text ?? documentId),
        isDraft: previous?.isDraft === true || (type.draftAndPublish && status === "draft"),
        isPublished: previous?.isPublished === true || status === "published",
      });
    }
  }
  return [...uses.values()];
}

/** Files without a link from a media attribute, newest first. */
function withoutLinks(context: DocumentsContext, search: string | undefined) {
  const { storage, model } = context;
  const fields = JSON.stringify(mediaFields(context).map(({ field }) => storage.number(field)));
  const sql = `SELECT f.id, f.hash FROM ${quote(contentType(model, FILE).table)} f
    WHERE f.id NOT IN (SELECT target FROM galley_links WHERE field IN (SELECT value FROM json_each(?)) AND kind = 0)
    AND instr(lower(f.name), lower(?)) > 0 ORDER BY f.created_at DESC, f.id DESC`;
  return storage.all(sql, [fields, search ?? ""]).map(([id, hash]) => ({ id: id as number, hash: String(hash) }));
}

export function fileUseRoutes({ context }: AdminServices): AdminRoute[] {
  return [
    route("GET", `${API_PATH}/files/unused`, async ({ query }) => {
      const params = query();
      const { page, pageSize, start } = readPages(params);
      const candidates = withoutLinks(context, readSearch(params._q));
      const named = await namedInTexts(context, new Set(candidates.map(({ hash }) => hash)));
      const ids = candidates.filter(({ hash }) => !named.has(hash)).map(({ id }) => id);
      const results = readFiles(context, ids.slice(start, start + pageSize), { populate: { folder: true } });
      return ok({ results, pagination: createPages(page, pageSize, ids.length) });
    }),
    route("GET", `${API_PATH}/files/:id/uses`, ({ params }) => {
      const id = rowId(params.id);
      const [file] = id === undefined ? [] : readFiles(context, [id]);
      if (!file || id === undefined) throw notFound("Entity not found");
      const uses = asUses(context, [...linkOwners(context, id), ...textOwners(context, String(file.hash))]);
      return ok({ data: uses.slice(0, MAX_USES), meta: { isCut: uses.length > MAX_USES } });
    }),
  ];
}

/** Resolves names in cells of relations and media: one statement per column, independent of the number of rows. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType, type LinkAttribute, type ScalarAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { findMainField } from "../content-manager/main-field.ts";
import { editedStatus } from "../read-rows.ts";
import { CellProblem } from "./cells.ts";

const SEPARATOR = /[,;\n]/;

/** A to-many cell has several names, separated by commas. A name that contains a comma is found only if it is the whole cell. */
function namesIn(text: string, { many }: LinkAttribute): readonly string[] {
  const whole = text.trim();
  if (whole === "") return [];
  return many ? [...new Set([whole, ...whole.split(SEPARATOR).map((name) => name.trim())])].filter(Boolean) : [whole];
}

/**
 * The function resolves the names of a cell: undefined for an empty one. It throws a CellProblem for a name that nothing has, or several.
 * `cells`: all of the column.
 */
export function createLinkReader(
  context: DocumentsContext,
  attribute: LinkAttribute,
  cells: readonly string[],
  locale: string | undefined,
) {
  const names = [...new Set(cells.flatMap((text) => namesIn(text, attribute)).map((name) => name.toLowerCase()))];
  const ids = names.length > 0 ? findIds(context, attribute, JSON.stringify(names), locale) : new Map();
  const findId = (name: string): string | number => {
    const key = name.toLowerCase();
    const id = ids.get(key);
    if (id !== undefined) return id;
    throw new CellProblem(ids.has(key) ? `Several are called "${name}"` : `Nothing is called "${name}"`);
  };
  return (text: string): unknown => {
    const [whole, ...others] = namesIn(text, attribute);
    if (whole === undefined) return undefined;
    if (!attribute.many) return findId(whole);
    const isOneName = others.length === 0 || ids.get(whole.toLowerCase()) !== undefined;
    return isOneName ? [findId(whole)] : others.map(findId);
  };
}

/** Ids by lower-case name; undefined for a name that several have. */
type Ids = Map<string, string | number | undefined>;

function findIds(context: DocumentsContext, attribute: LinkAttribute, names: string, locale: string | undefined): Ids {
  const { storage, model } = context;
  const ids: Ids = new Map();
  const add = (name: string, id: string | number) => ids.set(name, ids.has(name) ? undefined : id);
  const inNames = "IN (SELECT value FROM json_each(?))";
  if (attribute.kind === "media") {
    const sql = `SELECT lower(name), id FROM ${quote(contentType(model, FILE).table)} WHERE lower(name) ${inNames}`;
    for (const [name, id] of storage.all(sql, [names])) add(name as string, id as number);
    return ids;
  }
  const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
  if (!target) return ids;
  const main = target.attributes.get(findMainField(target)) as ScalarAttribute | undefined;
  const column = main ? quote(main.column) : "document_id";
  const sql = `SELECT lower(${column}), document_id FROM ${quote(target.table)}
    WHERE status = ? AND locale IS ? AND (lower(${column}) ${inNames} OR document_id ${inNames})`;
  const targetLocale = target.localized ? (locale ?? context.defaultLocale()) : null;
  for (const [name, documentId] of storage.all(sql, [editedStatus(target), targetLocale, names, names])) {
    if (typeof name === "string") add(name, documentId as string);
    ids.set(documentId as string, documentId as string);
  }
  return ids;
}

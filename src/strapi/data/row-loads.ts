/** `load` and `loadPages` of `strapi.db.query`: what is behind attributes of one row. */

import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

interface Reader {
  readonly findOne: (params: Params) => Promise<Document | null>;
}

/** Rejects for names that lead to no other rows. */
export async function loadFields(
  reader: Reader,
  { attributes }: Schema,
  row: unknown,
  field: string | readonly string[],
  params: Params,
): Promise<unknown> {
  const { id } = row as { readonly id?: unknown };
  const fields = typeof field === "string" ? [field] : field;
  for (const name of fields) {
    const kind = attributes.get(name)?.kind ?? "scalar";
    if (kind === "scalar") throw new Error(`Invalid load. Expected ${name} to be a relational attribute`);
  }
  const populate = Object.fromEntries(fields.map((name) => [name, Object.keys(params).length > 0 ? params : true]));
  const found = await reader.findOne({ where: { id }, select: ["id"], populate });
  return typeof field === "string"
    ? (found?.[field] ?? null)
    : Object.fromEntries(fields.map((name) => [name, found?.[name]]));
}

/** A page of a list of related rows. */
export async function loadPage(
  reader: Reader,
  schema: Schema,
  row: unknown,
  field: string,
  { page, pageSize, select, ...params }: Params,
) {
  const attribute = schema.attributes.get(field);
  if (!attribute || attribute.kind === "scalar" || !attribute.many)
    throw new Error(`Invalid load. Expected ${field} to be an anyToMany relational attribute`);
  const number = Math.max(1, Number(page ?? 1) || 1);
  const size = Math.max(1, Number(pageSize ?? 10) || 10);
  const names = select === undefined ? {} : { select: ["id", select].flat() };
  const loaded = await loadFields(reader, schema, row, field, { ...params, ...names });
  const all = [loaded].flat().filter(isRecord);
  return {
    results: all.slice((number - 1) * size, number * size),
    pagination: { page: number, pageSize: size, pageCount: Math.ceil(all.length / size), total: all.length },
  };
}

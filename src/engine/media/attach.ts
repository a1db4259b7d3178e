/** Links an uploaded file to a field of an entry: `ref`, `refId` and `field` of an upload. */
import { toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { writeLinks } from "../documents/links.ts";
import type { Status } from "../query/reading.ts";
import type { MediaAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import { rowId } from "./row-id.ts";

export interface AttachTarget {
  readonly schema: Schema;
  readonly attribute: MediaAttribute;
  readonly row: { readonly id: number; readonly status: Status };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/**
 * Finds the field to link a file to. Undefined if a parameter is missing or the field or row is unknown; the file is stored
 * nevertheless. Throws a ValidationError for an unknown type, and for an id that is not a number (Strapi: 500).
 */
export function findAttachTarget(
  { model, storage }: DocumentsContext,
  { ref, refId, field }: Readonly<Record<string, unknown>>,
): AttachTarget | undefined {
  if (![ref, refId, field].every(isSet)) return undefined;
  const schema = model.types.get(toText(ref)) ?? model.components.get(toText(ref));
  if (!schema) throw validationError(`ref must be the uid of a content-type or component, not ${toText(ref)}`);
  const attribute = schema.attributes.get(toText(field));
  if (attribute?.kind !== "media") return undefined;
  const id = rowId(refId);
  if (id === undefined) throw validationError("refId must be the numeric id of an entry");
  const status = schema.modelType === "contentType" ? "status" : "'published'";
  const row = storage.first(`SELECT ${status} FROM ${quote(schema.table)} WHERE id = ?`, [id]);
  return row && { schema, attribute, row: { id, status: row[0] as Status } };
}

/** Replaces the file of a single field, or appends to a multiple one. */
export function attachFile(context: DocumentsContext, { schema, attribute, row }: AttachTarget, file: number): void {
  writeLinks(context, schema, attribute, row, attribute.many ? { connect: [{ id: file }] } : { set: [{ id: file }] });
}

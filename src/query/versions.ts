/** Which versions of a row are read, as conditions. */
import type { Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Compiler } from "./compile.ts";
import { publicationSql } from "./publication-filter.ts";
import type { Reading } from "./reading.ts";

/** The conditions that choose versions of the row `t`; `row` is how it is written. */
export function versionSql(compiler: Compiler, reading: Reading, schema: Schema, row = "t"): string[] {
  if (schema.modelType === "component") return [];
  const status = schema.draftAndPublish ? reading.status : "published";
  if (!status) return [];
  const parts = [
    schema.draftAndPublish && reading.orDraft
      ? `(${row}.status = 'published' OR NOT EXISTS (SELECT 1 FROM ${quote(schema.table)} o WHERE o.document_id = ${row}.document_id AND o.locale IS ${row}.locale AND o.status = 'published'))`
      : `${row}.status = ${compiler.bind(status)}`,
  ];
  if (reading.publicationFilter && schema.draftAndPublish) {
    parts.push(publicationSql(schema.table, reading.publicationFilter, status));
  }
  return parts;
}

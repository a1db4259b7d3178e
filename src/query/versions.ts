/** The conditions that select the version of a document: draft or published. */
import type { Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Compiler } from "./compile.ts";
import { publicationSql } from "./publication-filter.ts";
import type { ReadContext } from "./read-context.ts";

/** Conditions on the row `t`; `row` is the alias to write for its columns. */
export function versionSql(compiler: Compiler, context: ReadContext, schema: Schema, row = "t"): string[] {
  if (schema.modelType === "component") return [];
  const status = schema.draftAndPublish ? context.status : "published";
  if (!status) return [];
  const parts = [
    schema.draftAndPublish && context.orDraft
      ? `(${row}.status = 'published' OR NOT EXISTS (SELECT 1 FROM ${quote(schema.table)} o WHERE o.document_id = ${row}.document_id AND o.locale IS ${row}.locale AND o.status = 'published'))`
      : `${row}.status = ${compiler.bind(status)}`,
  ];
  if (context.publicationFilter && schema.draftAndPublish) {
    parts.push(publicationSql(schema.table, context.publicationFilter, status));
  }
  return parts;
}

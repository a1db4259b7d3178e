/** The conditions that select the version of a document: draft or published. */
import type { Schema } from "../schema/model.ts";
import type { Compiler } from "./compile.ts";
import { publicationSql } from "./publication-filter.ts";
import type { ReadContext } from "./read-context.ts";

/** Conditions on the row `t`; `row` is the alias to write for its columns. */
export function versionSql(compiler: Compiler, context: ReadContext, schema: Schema, row = "t"): string[] {
  if (schema.modelType === "component") return [];
  const status = schema.draftAndPublish ? context.status : "published";
  if (!status) return [];
  const parts = [`${row}.status = ${compiler.bind(status)}`];
  if (context.publicationFilter && schema.draftAndPublish) {
    parts.push(publicationSql(schema.table, context.publicationFilter, status));
  }
  return parts;
}

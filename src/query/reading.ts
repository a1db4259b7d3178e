/** What holds for a whole read, populated rows included. */
import type { Model, Schema } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { Compiler } from "./compile.ts";
import { type PublicationFilter, publicationSql } from "./publication-filter.ts";

export type Status = "draft" | "published";

export interface Reading {
  readonly storage: Storage;
  readonly model: Model;
  /** The version of types with drafts; undefined: all of them. */
  readonly status: Status | undefined;
  readonly publicationFilter?: PublicationFilter | undefined;
}

/** The conditions that choose versions of the row `t`. */
export function versionSql(compiler: Compiler, reading: Reading, schema: Schema): string[] {
  if (schema.modelType === "component") return [];
  const status = schema.draftAndPublish ? reading.status : "published";
  if (!status) return [];
  const parts = [`t.status = ${compiler.bind(status)}`];
  if (reading.publicationFilter && schema.draftAndPublish) {
    parts.push(publicationSql(schema.table, reading.publicationFilter, status));
  }
  return parts;
}

/** What holds for a whole read, populated rows included. */
import { validationError } from "../errors.ts";
import type { Model, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import type { Compiler } from "./compile.ts";
import { type PublicationFilter, publicationSql } from "./publication-filter.ts";

export type Status = "draft" | "published";

export interface Reading {
  readonly storage: Storage;
  readonly model: Model;
  /** The version of types with drafts; undefined: all of them. */
  readonly status: Status | undefined;
  /** Drafts stand in for documents that have never been published. */
  readonly orDraft?: boolean;
  readonly publicationFilter?: PublicationFilter | undefined;
  /** How many rows may still be loaded behind relations; undefined: any number. */
  readonly rows?: RowBudget;
}

/** A limit on all the rows that one request loads. */
export class RowBudget {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** One more than is left, so that too many can be told from just enough. */
  get limit(): number {
    return this.#left + 1;
  }

  /** Throws a ValidationError when there were not as many left. */
  take(rows: number): void {
    this.#left -= rows;
    if (this.#left < 0) throw validationError(`A request can load at most ${this.#most} related entries`);
  }
}

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

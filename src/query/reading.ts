/** What holds for a whole read, populated rows included. */
import type { Budget } from "../budget.ts";
import type { Model } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { PublicationFilter } from "./publication-filter.ts";

export type Status = "draft" | "published";

export interface Reading {
  readonly storage: Storage;
  readonly model: Model;
  /** The version of types with drafts; undefined: all of them. */
  readonly status: Status | undefined;
  /** Drafts stand in for documents that have never been published. */
  readonly orDraft?: boolean;
  readonly publicationFilter?: PublicationFilter | undefined;
}

/** A read while it runs, within the budget of its query. */
export interface BudgetedReading extends Reading {
  readonly budget: Budget;
}

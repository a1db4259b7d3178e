/** What applies to a whole read, populated rows included. */
import type { Budget } from "../../lib/budget.ts";
import type { Model } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { PublicationFilter } from "./publication-filter.ts";
import type { PreparedList } from "./row-lists.ts";

export type Status = "draft" | "published";

export interface ReadContext {
  readonly storage: Storage;
  readonly model: Model;
  /** The version to read of types with drafts; undefined: both. */
  readonly status: Status | undefined;
  /** Localizations are all other rows of a document instead of those of the same version. */
  readonly listsVersions?: boolean | undefined;
  readonly publicationFilter?: PublicationFilter | undefined;
  /** What another process has read of the list that is read next. */
  readonly prepared?: PreparedList;
}

/** A read with the budget of its query. */
export interface BudgetedReadContext extends ReadContext {
  readonly budget: Budget;
}

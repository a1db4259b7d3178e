/** What applies to a whole read, populated rows included. */
import type { Budget } from "../../lib/budget.ts";
import { validationError } from "../../lib/errors.ts";
import type { Model } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import type { PreparedList } from "./row-lists.ts";

/**
 * SQL conditions on a draft and on a published row `t`. `other(status, condition, anyLocale)` is true when the document has
 * such another version `o`.
 */
type FilterConditions = (other: (status: string, more?: string, anyLocale?: boolean) => string) => {
  readonly draft: string;
  readonly published: string;
};

const NONE = "0";

const publicationConditions = {
  "never-published": (other) => ({ draft: `NOT ${other("published")}`, published: NONE }),
  "has-published-version": (other) => ({ draft: other("published"), published: other("draft") }),
  modified: (other) => ({
    draft: other("published", "t.updated_at > o.updated_at"),
    published: other("draft", "o.updated_at > t.updated_at"),
  }),
  unmodified: (other) => ({
    draft: other("published", "t.updated_at <= o.updated_at"),
    published: other("draft", "o.updated_at <= t.updated_at"),
  }),
  "never-published-document": (other) => ({ draft: `NOT ${other("published", "1", true)}`, published: NONE }),
  "has-published-version-document": (other) => ({
    draft: other("published", "1", true),
    published: other("draft", "1", true),
  }),
  "published-without-draft": (other) => ({ draft: NONE, published: `NOT ${other("draft")}` }),
  "published-with-draft": (other) => ({ draft: NONE, published: other("draft") }),
} as const satisfies Record<string, FilterConditions>;

export type PublicationFilter = keyof typeof publicationConditions;

export const publicationFilters = Object.keys(publicationConditions) as PublicationFilter[];

const isFilter = (value: unknown): value is PublicationFilter =>
  typeof value === "string" && Object.hasOwn(publicationConditions, value);

/** `hasPublishedVersion` is ignored beside `publicationFilter`. Throws a ValidationError for an unknown value. */
export function readPublicationFilter(params: Readonly<Record<string, unknown>>): PublicationFilter | undefined {
  const { publicationFilter, hasPublishedVersion } = params;
  if (publicationFilter !== undefined && publicationFilter !== null) {
    if (isFilter(publicationFilter)) return publicationFilter;
    const message = `Invalid value for 'publicationFilter'. Expected one of: ${publicationFilters.join(", ")}.`;
    throw validationError(message, { source: "query", param: "publicationFilter" });
  }
  if (hasPublishedVersion === undefined || hasPublishedVersion === null) return undefined;
  if (hasPublishedVersion === true || hasPublishedVersion === "true") return "has-published-version-document";
  if (hasPublishedVersion === false || hasPublishedVersion === "false") return "never-published-document";
  throw validationError("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.");
}

/** The filter as a condition on the row `t` of `table`. */
export function publicationSql(table: string, filter: PublicationFilter, status: "draft" | "published"): string {
  const conditionsFor: FilterConditions = publicationConditions[filter];
  return conditionsFor((otherStatus, more = "1", anyLocale = false) => {
    const locale = anyLocale ? "" : " AND o.locale IS t.locale";
    return `EXISTS (SELECT 1 FROM ${quote(table)} o WHERE o.document_id = t.document_id${locale} AND o.status = '${otherStatus}' AND ${more})`;
  })[status];
}

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

/** `publicationFilter` and its older form `hasPublishedVersion`: rows chosen by what other versions their document has. */
import { validationError } from "../errors.ts";
import { quote } from "../storage/quote.ts";

/** Each asks, in SQL, about the row `t` of `table`; `other(status, sameLocale)` is a condition that such a version exists. */
type Question = (other: (status: string, more?: string, anyLocale?: boolean) => string) => {
  readonly draft: string;
  readonly published: string;
};

const NONE = "0";

const questions = {
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
} as const satisfies Record<string, Question>;

export type PublicationFilter = keyof typeof questions;

export const publicationFilters = Object.keys(questions) as PublicationFilter[];

const isFilter = (value: unknown): value is PublicationFilter =>
  typeof value === "string" && Object.hasOwn(questions, value);

/** Throws a ValidationError for an unknown value; `hasPublishedVersion` counts only without `publicationFilter`. */
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
  const question: Question = questions[filter];
  return question((otherStatus, more = "1", anyLocale = false) => {
    const locale = anyLocale ? "" : " AND o.locale IS t.locale";
    return `EXISTS (SELECT 1 FROM ${quote(table)} o WHERE o.document_id = t.document_id${locale} AND o.status = '${otherStatus}' AND ${more})`;
  })[status];
}

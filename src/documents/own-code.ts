/** Where a project's own code takes part in reads and writes of documents. Projects without code have none of this. */
import type { Caller } from "../query/check-query.ts";
import type { ContentType, Model } from "../schema/model.ts";
import type { Work } from "./steps.ts";

export type RowAction = "create" | "update" | "delete" | "findOne" | "findMany" | "count";

/** One query of the database, as hooks see it; they may change `params` before it runs and `result` afterwards. */
export interface RowEvent {
  readonly action: RowAction;
  readonly type: ContentType;
  readonly params: Record<string, unknown>;
  result?: unknown;
}

/** What is validated: a row's data before it is written. */
export interface RowValidation {
  readonly type: ContentType;
  readonly data: Record<string, unknown>;
  readonly creating: boolean;
  readonly draft: boolean;
  readonly locale: string | null;
  /** The row that is changed. */
  readonly row?: number;
}

/** Hooks around the queries of single rows, and the transaction that waits for them. */
export interface RowHooks {
  /** The validation that code has put in the place of the server's own, which it may call; undefined: none. */
  readonly validation: ((given: RowValidation) => Promise<Record<string, unknown>>) | undefined;
  /** Whether any hook may be interested; where not, nothing is prepared for it. */
  readonly listens: (type: ContentType, action: RowAction) => boolean;
  readonly before: (event: RowEvent) => Work<void>;
  readonly after: (event: RowEvent) => Work<void>;
  /** Runs `work` in a transaction that other code may join; rolls back when it rejects. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What a write is asked for besides its parameters. */
export interface WriteOptions {
  /** Runs inside the transaction, before anything is written; what it throws leaves everything as it was. */
  readonly check?: (() => void) | undefined;
  /**
   * A document that is published by its update hands values that its locales share on to their drafts, too, as if it had
   * been updated first and published then.
   */
  readonly sharesDrafts?: boolean | undefined;
}

/** The document service of a project with code: its middlewares, hooks and raw rows. */
export interface DocumentCode {
  /** Whether code may look at or change what is read of a type. */
  readonly watchesReads: (uid: string) => boolean;
  /**
   * Runs an action of `strapi.documents(uid)`. What the caller may not see is taken out of the parameters, since code reads with
   * more rights, and out of the result. `model`: as the caller sees it.
   */
  readonly run: (
    uid: string,
    action: string,
    params: Readonly<Record<string, unknown>>,
    caller: Caller & WriteOptions & { readonly model: Model },
  ) => Promise<unknown>;
}

/** Code is loaded after the project was opened, and again whenever its files change. */
export interface DocumentCodeSlot {
  current: DocumentCode | undefined;
}

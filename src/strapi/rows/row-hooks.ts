/** The hooks of a project's code around the queries of rows. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Work } from "../../engine/documents/steps.ts";
import type { ContentType, Schema } from "../../engine/schema/model.ts";

export type RowAction = "create" | "update" | "delete" | "findOne" | "findMany" | "count";

/** One query of the database. Hooks may change `params` before it runs and `result` afterwards. */
export interface RowEvent {
  readonly action: RowAction;
  /** A content-type, or a component whose rows the code itself queries. */
  readonly type: Schema;
  readonly params: Record<string, unknown>;
  result?: unknown;
}

/** The arguments of a validation: a row's data before it is written. */
export interface RowValidation {
  readonly type: ContentType;
  readonly data: Record<string, unknown>;
  readonly creating: boolean;
  readonly draft: boolean;
  readonly locale: string | null;
  /** The row that is updated. */
  readonly row?: number;
}

/** Hooks around the queries of single rows, and the transaction that waits for them. */
export interface RowHooks {
  /** A validation by the project's code that replaces the default one, and may call it; undefined: none. */
  readonly validation: ((input: RowValidation) => Promise<Record<string, unknown>>) | undefined;
  /** Whether there may be a hook for an action. If not, no event is created. */
  readonly listens: (type: Schema, action: RowAction) => boolean;
  /** Logs a warning about the code, once. */
  readonly warn: (message: string) => void;
  readonly before: (event: RowEvent) => Work<void>;
  readonly after: (event: RowEvent) => Work<void>;
  /** Runs `work` in a transaction that other code may join; rolls back when it rejects. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The context of the code itself: hooks run around each row that is written. */
export type RawContext = DocumentsContext & { readonly rowHooks: RowHooks };

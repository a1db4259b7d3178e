/** One operation while it runs: who asks, what was refused while it was planned, and how much has been handed out. */
import { type FieldNode, GraphQLError } from "graphql";
import type { Ability } from "../../access/ability.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import type { ApiError } from "../../errors.ts";
import type { MediaService } from "../../media/media-service.ts";
import { RowBudget } from "../../query/reading.ts";
import type { Caller } from "./caller.ts";
import type { UserOperations } from "./user-operations.ts";

export interface GraphqlServices {
  readonly context: DocumentsContext;
  readonly settings: Settings;
  readonly users: UserOperations;
  readonly media: MediaService;
}

/**
 * Values in one answer. Rows that several others share are loaded once but answered everywhere, so that a short
 * operation could ask for an answer without end.
 */
const MAX_VALUES = 500_000;
/** What an error counts, which is larger than a value. */
const ERROR_VALUES = 25;
/** Entries loaded behind the relations of one operation. */
const MAX_ROWS = 100_000;

export class Operation {
  readonly services: GraphqlServices;
  readonly caller: Caller;
  /** Fields that may not be read, or whose arguments are wrong: every row answers them with the error. */
  readonly refusals = new Map<FieldNode, ApiError>();
  /** How many fields are selected below a field. */
  readonly widths = new Map<FieldNode, number>();
  readonly rows = new RowBudget(MAX_ROWS);
  /** Code of the project took part, so that the answer may depend on anything. */
  ranOwnCode = false;
  /** The status that a field gives the whole answer; 200 unless one does. */
  status: number | undefined;
  #values = 0;

  constructor(services: GraphqlServices, caller: Caller) {
    this.services = services;
    this.caller = caller;
  }

  get ability(): Ability {
    return this.caller.ability;
  }

  /** Throws what was refused of a field while it was planned. */
  check(node: FieldNode): void {
    const refusal = this.refusals.get(node);
    if (!refusal) return;
    this.#values += ERROR_VALUES;
    throw refusal;
  }

  /** Hands out the rows that a field picked; too many become none, and the operation ends as `overflow`. */
  hand(node: FieldNode, rows: unknown): unknown {
    return this.handWide(this.widths.get(node) ?? 1, rows);
  }

  /** `width`: how many fields are selected of each row. */
  handWide(width: number, rows: unknown): unknown {
    const count = Array.isArray(rows) ? rows.length : 1;
    this.#values += count * (1 + width);
    if (this.#values <= MAX_VALUES) return rows;
    return Array.isArray(rows) ? [] : null;
  }

  /** The error that takes the place of an answer that would have been too large. */
  overflow(): GraphQLError | undefined {
    if (this.#values <= MAX_VALUES) return undefined;
    return new GraphQLError(
      `The answer would have more than ${MAX_VALUES} values: select less, or ask for less at once`,
      {
        extensions: { code: "BAD_USER_INPUT" },
      },
    );
  }
}

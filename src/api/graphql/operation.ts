/** The state of one operation: its caller, its budget, and the fields that were refused during planning. */
import { type FieldNode, GraphQLError } from "graphql";
import type { Ability } from "../../access/ability.ts";
import { Budget, limitNames } from "../../budget.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import { ApiError } from "../../errors.ts";
import type { MediaService } from "../../media/media-service.ts";
import type { Caller as Reader } from "../../query/check-query.ts";
import type { Caller } from "./caller.ts";
import type { UserOperations } from "./user-operations.ts";

export interface GraphqlServices {
  readonly context: DocumentsContext;
  readonly settings: Settings;
  readonly users: UserOperations;
  readonly media: MediaService;
}

/** The cost of an error in values: it is larger, and takes more time. */
const ERROR_VALUES = 100;

export class Operation {
  readonly services: GraphqlServices;
  readonly caller: Caller;
  /** Fields that may not be read, or with invalid arguments: every row reports their error. */
  readonly refusals = new Map<FieldNode, ApiError>();
  readonly budget: Budget;
  /** The project's code was called, so that the response must not be cached. */
  ranOwnCode = false;
  /** The HTTP status that a field has set; undefined: 200. */
  status: number | undefined;
  #overflow: ApiError | undefined;

  constructor(services: GraphqlServices, caller: Caller, budget = new Budget(services.settings.limits)) {
    this.services = services;
    this.caller = caller;
    this.budget = budget;
  }

  /** A user, or a token with full access: no other token has the empty action. */
  get isSignedIn(): boolean {
    const { kind, userId, can } = this.ability;
    return userId !== undefined || (kind === "token" && can(""));
  }

  /** A new state for the same operation, which keeps the time that was spent. */
  restart(): Operation {
    return new Operation(this.services, this.caller, this.budget.restart());
  }

  /** The caller of the operation's queries. */
  get reader(): Reader {
    return { canRead: this.ability.canRead, budget: this.budget };
  }

  get ability(): Ability {
    return this.caller.ability;
  }

  /** Throws if a limit is exceeded already. */
  checkBudget(): void {
    for (const name of limitNames) this.budget.expect(name, 0);
    this.budget.checkTime();
  }

  /** Throws the error of a field that was refused during planning. */
  check(node: FieldNode): void {
    const refusal = this.refusals.get(node);
    if (!refusal) return;
    try {
      this.budget.take("values", ERROR_VALUES);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#overflow = error;
    }
    throw refusal;
  }

  /** The error that replaces a response with too many errors. */
  overflow(): GraphQLError | undefined {
    return this.#overflow && new GraphQLError(this.#overflow.message, { extensions: { code: "BAD_USER_INPUT" } });
  }
}

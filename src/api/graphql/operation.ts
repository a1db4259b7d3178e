/** One operation while it runs: its caller, its budget, and the fields that were refused while it was planned. */
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

/** What an error counts: it is larger than a value, and takes more time. */
const ERROR_VALUES = 100;

export class Operation {
  readonly services: GraphqlServices;
  readonly caller: Caller;
  /** Fields that may not be read, or whose arguments are wrong: every row answers them with the error. */
  readonly refusals = new Map<FieldNode, ApiError>();
  readonly budget: Budget;
  /** Code of the project took part, so that the answer may depend on anything. */
  ranOwnCode = false;
  /** The status that a field gives the whole answer; 200 unless one does. */
  status: number | undefined;
  #overflow: ApiError | undefined;

  constructor(services: GraphqlServices, caller: Caller, budget = new Budget(services.settings.limits)) {
    this.services = services;
    this.caller = caller;
    this.budget = budget;
  }

  /** By a user, or a token with full access: no other token has the empty action. */
  get isSignedIn(): boolean {
    const { kind, userId, can } = this.ability;
    return userId !== undefined || (kind === "token" && can(""));
  }

  /** The same operation from its beginning, except for the time that it has worked. */
  restart(): Operation {
    return new Operation(this.services, this.caller, this.budget.restart());
  }

  /** For whom the operation's queries are read. */
  get reader(): Reader {
    return { canRead: this.ability.canRead, budget: this.budget };
  }

  get ability(): Ability {
    return this.caller.ability;
  }

  /** Throws when a limit is exceeded already, so that nothing more is read. */
  checkBudget(): void {
    for (const name of limitNames) this.budget.expect(name, 0);
    this.budget.checkTime();
  }

  /** Throws what was refused of a field while it was planned. */
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

  /** The error that takes the place of an answer with too many errors. */
  overflow(): GraphQLError | undefined {
    return this.#overflow && new GraphQLError(this.#overflow.message, { extensions: { code: "BAD_USER_INPUT" } });
  }
}

/** The state of one operation: its caller, its budget, and the fields that were refused during planning. */
import { type FieldNode, GraphQLError } from "graphql";
import { type Ability, tagsOfCallers } from "../../engine/access/access.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import type { Caller as Reader } from "../../engine/query/check-query.ts";
import type { Params } from "../../engine/query/parse.ts";
import { ContentChanged, finish, type Reading, runReading } from "../../engine/query/reading.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { Budget, limitNames } from "../../lib/budget.ts";
import type { CacheTags } from "../../lib/cache-tags.ts";
import { ApiError } from "../../lib/errors.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { CacheHints } from "./cache-hints.ts";
import type { Caller } from "./caller.ts";
import type { UserOperations } from "./user-operations.ts";

export interface GraphqlServices {
  readonly context: DocumentsContext;
  readonly settings: Settings;
  readonly users: UserOperations;
  readonly media: MediaService;
  /** Undefined: reads have none. */
  readonly cacheTags?: CacheTags | undefined;
  /** Set if the schema has resolvers of others, which get arrays. */
  readonly extensions?: object;
}

/** Prepared reads refuse to pause: graphql-js, which can wait, executes the operation then. */
type Pauses = "refused" | "served" | "none";

export const PAUSE_DUE = new Error("the operation takes too long for a prepared read");

/** Responses with more values than this take tens of milliseconds to complete. */
const MANY_VALUES = 10_000;
/** Entries of lists that are completed before the next check. */
const ENTRIES_PER_TURN = 20;

/** The cost of an error in values: it is larger, and takes more time. */
const ERROR_VALUES = 100;

export class Operation {
  readonly services: GraphqlServices;
  readonly caller: Caller;
  /** Fields that may not be read, or with invalid arguments: every row reports their error. */
  readonly refusals = new Map<FieldNode, ApiError>();
  /** The arguments of root fields for documents, by response key. */
  readonly rootArguments = new Map<string | number, Params>();
  readonly budget: Budget;
  /** False once something beside the database has taken part. */
  isCacheable = true;
  /** Set once a resolver of the project takes part. */
  cacheHints: CacheHints | undefined;
  /** The HTTP status that a field has set; undefined: 200. */
  status: number | undefined;
  /** Whether a long operation lets others be served: one that cannot wait throws PAUSE_DUE, or runs through. */
  readonly pauses: Pauses;
  /** Content has changed during a pause, so that the result must be discarded; or it was returned: pausing fields go no further. */
  isOutdated = false;
  /** Of the content that all fields are read from. */
  #version: string | undefined;
  #overflow: ApiError | undefined;

  constructor(
    services: GraphqlServices,
    caller: Caller,
    {
      budget = new Budget(services.settings.limits, {
        isPublic: caller.ability.kind === "public",
        tags: services.cacheTags?.collect(tagsOfCallers[caller.ability.kind]),
      }),
      pauses = "refused",
    }: { budget?: Budget; pauses?: Pauses } = {},
  ) {
    this.services = services;
    this.caller = caller;
    this.budget = budget;
    this.pauses = pauses;
  }

  /** A user, or a token with full access: no other token has the empty action. */
  get isSignedIn(): boolean {
    const { kind, userId, can } = this.ability;
    return userId !== undefined || (kind === "token" && can(""));
  }

  /** A new state for the same operation, which keeps the time that was spent. `storage`: another connection to read from. */
  restart(pauses: Pauses, storage?: Storage): Operation {
    const { services } = this;
    const own = storage ? { ...services, context: { ...services.context, storage } } : services;
    return new Operation(own, this.caller, { budget: this.budget.restart(), pauses });
  }

  /** Runs a part of a read, and pauses before it if one is due. */
  inTurn<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    this.#version ??= this.services.context.storage.version();
    if (this.pauses === "none" || !this.budget.isPauseDue) return work();
    if (this.pauses === "refused") throw PAUSE_DUE;
    return this.#afterPause(work);
  }

  async #afterPause<T>(work: () => MaybePromise<T>): Promise<T> {
    await this.budget.pause();
    try {
      const { storage } = this.services.context;
      if (this.isOutdated) throw new ContentChanged();
      storage.hold();
      if (storage.version() !== this.#version) throw this.#outdated();
      // not awaited: only its synchronous part belongs to this turn
      return work();
    } finally {
      this.budget.stop();
    }
  }

  /** A list whose entries graphql-js completes with pauses, if the response is large. */
  paced(value: unknown): unknown {
    const isLarge = this.pauses === "served" && this.budget.spent("values") > MANY_VALUES;
    return isLarge && Array.isArray(value) && this.services.extensions === undefined
      ? this.#resolveEntries(value)
      : value;
  }

  #resolveEntries(list: readonly unknown[]): unknown {
    if (list.length <= ENTRIES_PER_TURN) return this.#turn()?.then(() => list) ?? list;
    const entries: Promise<unknown>[] = [];
    let turn: Promise<void> = Promise.resolve();
    for (const [index, entry] of list.entries()) {
      if (index % ENTRIES_PER_TURN === 0) turn = turn.then(() => this.#turn());
      entries.push(turn.then(() => entry));
    }
    return entries;
  }

  /** A pause if one is due. */
  #turn(): Promise<void> | undefined {
    if (this.budget.isPauseDue) return this.budget.pause();
    this.budget.checkTime();
    return undefined;
  }

  #outdated(): ContentChanged {
    this.isOutdated = true;
    return new ContentChanged();
  }

  /** Runs a reading of a root field. `waited`: another process has read its list, perhaps from newer content. */
  read<T>(reading: Reading<T>, waited = false): MaybePromise<T> {
    const { storage } = this.services.context;
    if (this.pauses === "none") return finish(reading);
    if (this.pauses === "refused") {
      const next = reading.next();
      if (next.done) return next.value;
      throw PAUSE_DUE;
    }
    if (waited) this.#version = storage.version();
    const result = runReading(storage, this.budget, reading, this.#version);
    if (!(result instanceof Promise)) return result;
    return result.catch((error) => {
      throw this.isOutdated || error instanceof ContentChanged ? this.#outdated() : error;
    });
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

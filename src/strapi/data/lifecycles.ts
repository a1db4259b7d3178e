/** Lifecycle hooks around database queries: those of `lifecycles` files, then subscribers of `strapi.db.lifecycles`. */
import { step, type Work } from "../../engine/documents/steps.ts";
import type { Schema } from "../../engine/schema/model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { LoadedCode } from "../loader/load.ts";
import type { PluginModule } from "../loader/plugin.ts";
import { DatabaseError } from "../packages/database-errors.ts";
import type { RowEvent, RowHooks } from "../rows/row-hooks.ts";
import { convertScalars } from "./column-values.ts";

/** The argument of a hook. */
export interface LifecycleEvent {
  readonly action: string;
  readonly model: unknown;
  state: object;
  readonly params: Record<string, unknown>;
  readonly result?: unknown;
}

type Hook = (event: LifecycleEvent) => unknown;
type Hooks = Readonly<Record<string, unknown>> & { readonly models?: readonly string[] };
export type Subscriber = Hook | Hooks;

/** With the events of queries that write several rows. */
export type QueryAction = RowEvent["action"] | "createMany" | "updateMany" | "deleteMany";

/** A running query, which all of its hooks share. */
export interface QueryEvent {
  readonly action: QueryAction;
  readonly type: Schema;
  readonly params: Record<string, unknown>;
  result?: unknown;
}

const eventName = (moment: "before" | "after", action: string): string =>
  `${moment}${action[0]!.toUpperCase()}${action.slice(1)}`;

export class Lifecycles implements RowHooks {
  readonly #transactions: Pick<AsyncTransactions, "run">;
  readonly #findModel: (uid: string) => unknown;
  #subscribers: Subscriber[] = [];
  #isDisabled = false;
  readonly #listening = new Map<string, boolean>();
  /** By query and subscriber: the `state` that a before hook passes to its after hook. */
  readonly #states = new WeakMap<object, Map<unknown, object>>();

  readonly #getValidation: () => RowHooks["validation"];

  readonly #log: (message: string) => void;
  readonly #warnings = new Set<string>();

  /** `findModel`: the `model` of events. `validation`: the replaced validation of `strapi.entityValidator`, if any. */
  constructor(
    transactions: Pick<AsyncTransactions, "run">,
    findModel: (uid: string) => unknown,
    log: (message: string) => void,
    validation: () => RowHooks["validation"] = () => undefined,
  ) {
    this.#transactions = transactions;
    this.#findModel = findModel;
    this.#log = log;
    this.#getValidation = validation;
  }

  warn(message: string): void {
    if (this.#warnings.has(message)) return;
    this.#warnings.add(message);
    this.#log(message);
  }

  get validation(): RowHooks["validation"] {
    return this.#getValidation();
  }

  /** Returns a function that unsubscribes. */
  subscribe(subscriber: unknown): () => void {
    if (typeof subscriber !== "function" && (typeof subscriber !== "object" || subscriber === null))
      throw new Error("Invalid subscriber. Expected function or object");
    const own = subscriber as Subscriber;
    this.#subscribers.push(own);
    this.#listening.clear();
    return () => {
      this.#subscribers = this.#subscribers.filter((other) => other !== own);
      this.#listening.clear();
    };
  }

  clear(): void {
    this.#subscribers = [];
    this.#listening.clear();
  }

  disable(): void {
    this.#isDisabled = true;
  }

  enable(): void {
    this.#isDisabled = false;
  }

  listens(type: Schema, action: QueryAction): boolean {
    if (this.#isDisabled || this.#subscribers.length === 0) return false;
    return this.#listening.getOrInsertComputed(`${type.uid} ${action}`, () =>
      (["before", "after"] as const).some((moment) =>
        this.#subscribers.some((subscriber) => findHook(subscriber, eventName(moment, action), type.uid) !== undefined),
      ),
    );
  }

  *before(event: QueryEvent): Work<void> {
    yield* step(() => this.run("before", event));
    if (event.action === "create" || event.action === "update") convertScalars(event.type, event.params.data);
  }

  *after(event: QueryEvent): Work<void> {
    yield* step(() => this.run("after", event));
  }

  async run(moment: "before" | "after", event: QueryEvent): Promise<void> {
    if (this.#isDisabled) return;
    const action = eventName(moment, event.action);
    const states = this.#states.getOrInsertComputed(event, () => new Map());
    for (const subscriber of [...this.#subscribers]) {
      const hook = findHook(subscriber, action, event.type.uid);
      if (!hook) continue;
      const own: LifecycleEvent = {
        action,
        model: this.#findModel(event.type.uid),
        state: states.get(subscriber) ?? {},
        params: event.params,
        ...(moment === "after" ? { result: event.result } : {}),
      };
      await hook(own);
      if (own.state) states.set(subscriber, own.state);
    }
  }

  /** A write of the document service, which refuses what the database cannot store with a ValidationError. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#transactions.run(work);
    } catch (error) {
      if (error instanceof DatabaseError) throw new ApiError("ValidationError", error.message, {}, { cause: error });
      throw error;
    }
  }

  /** Runs the hooks with this name, as the code asks. */
  async runNamed(
    name: string,
    type: Schema,
    { params = {}, result }: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const [, moment, action = ""] = /^(before|after)(.*)$/.exec(name) ?? [];
    if (moment !== "before" && moment !== "after") return;
    const event = { action: (action.charAt(0).toLowerCase() + action.slice(1)) as QueryAction, type, result };
    await this.run(moment, { ...event, params: params as Record<string, unknown> });
  }
}

/** A function is called for all events. */
function findHook(subscriber: Subscriber, action: string, uid: string): Hook | undefined {
  if (typeof subscriber === "function") return subscriber;
  const hook = subscriber[action];
  if (typeof hook !== "function" || (subscriber.models && !subscriber.models.includes(uid))) return undefined;
  return (event) => hook.call(subscriber, event);
}

/** Subscribes the hooks in files of apis and plugins. */
export function subscribeModels(
  lifecycles: Lifecycles,
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
): void {
  const add = (uid: string, hooks: unknown): void => {
    if (isRecord(hooks)) lifecycles.subscribe({ ...hooks, models: [uid] });
  };
  for (const [api, owner] of code.apis) {
    for (const [type, hooks] of owner.lifecycles) add(`api::${api}.${type}`, hooks);
  }
  for (const [plugin, { contentTypes }] of modules) {
    for (const [type, entry] of Object.entries(contentTypes)) {
      if (isRecord(entry)) add(`plugin::${plugin}.${type}`, entry.lifecycles);
    }
  }
}

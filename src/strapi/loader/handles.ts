/**
 * Timers and servers that code opens while it starts, and its listeners of the process. They end with its generation, as with the process of
 * Strapi, so that the next one finds its ports free, and nothing runs twice.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import http from "node:http";
import net from "node:net";
import { formatStack } from "../../lib/printable.ts";
import { closeServer, followConnections, type Server } from "../lib/server-connections.ts";

type Timer = ReturnType<typeof setTimeout>;
type TimerArguments = readonly [callback: (...args: readonly unknown[]) => void, ms?: number, ...args: unknown[]];
type Listener = (...args: readonly unknown[]) => void;
type Listen = (...args: readonly unknown[]) => unknown;

/** From this number on, timers that have ended, and listeners that were removed, are forgotten. */
const MIN_FOLLOWED = 100;

/** The generation that the running code belongs to. */
const owners = new AsyncLocalStorage<CodeHandles>();

const isOver = (timer: Timer): boolean => (timer as { readonly _destroyed?: boolean })._destroyed === true;

type ProcessListener = readonly [event: string, listener: Listener];

const isRemoved = ([event, listener]: ProcessListener): boolean =>
  !process.listeners(event as "exit").includes(listener);

/** What one generation has opened. */
class FollowedSet<T> extends Set<T> {
  readonly #isOver: (item: T) => boolean;
  #most = MIN_FOLLOWED;

  constructor(isOver: (item: T) => boolean) {
    super();
    this.#isOver = isOver;
  }

  override add(item: T): this {
    super.add(item);
    if (this.size < this.#most) return this;
    for (const other of this) if (this.#isOver(other)) this.delete(other);
    this.#most = Math.max(MIN_FOLLOWED, 2 * this.size);
    return this;
  }
}

/** The port that a call of `listen` names; undefined for any free one, and for sockets. */
function parsePort([first]: readonly unknown[]): number | undefined {
  const port: unknown = typeof first === "object" && first !== null ? (first as { port?: unknown }).port : first;
  return Number(port) || undefined;
}

const isListeningOn = (server: Server, port: number): boolean => {
  const address = server.address();
  return typeof address === "object" && address?.port === port;
};

export class CodeHandles {
  #previous: CodeHandles | undefined;
  #onRelease: (() => unknown) | undefined;
  readonly #timers = new FollowedSet<Timer>(isOver);
  /** With the arguments of `listen`. */
  readonly #servers = new Map<Server, readonly unknown[]>();
  /** Those that are closed, since the next generation uses their ports. */
  readonly #lent = new Set<Server>();
  /** Of the process. */
  readonly #listeners = new FollowedSet<ProcessListener>(isRemoved);
  #isReleased = false;

  /** `previous`: those of the generation that serves until this one has started. `onRelease`: closes what else the generation has. */
  constructor(previous?: CodeHandles, onRelease?: () => unknown) {
    this.#previous = previous;
    this.#onRelease = onRelease;
  }

  /** Runs code of the generation that starts. */
  run<T>(work: () => T): T {
    follow();
    return owners.run(this, work);
  }

  addTimer(timer: Timer): void {
    if (this.#isReleased) return void clearTimeout(timer);
    this.#timers.add(timer);
  }

  /** Called before the server listens. */
  addServer(server: Server, args: readonly unknown[]): void {
    if (this.#isReleased) return void server.once("listening", () => closeServer(server));
    const port = parsePort(args);
    if (port !== undefined && this.#previous) this.#previous.#lend(port);
    this.#servers.set(server, args);
    followConnections(server);
  }

  /** Called after the process has the listener. */
  addListener(event: string, listener: Listener): void {
    if (this.#isReleased) return void process.removeListener(event, listener);
    this.#listeners.add([event, listener]);
  }

  #lend(port: number): void {
    for (const server of this.#servers.keys()) {
      if (!isListeningOn(server, port)) continue;
      closeServer(server);
      this.#lent.add(server);
    }
  }

  release(): void {
    this.#isReleased = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const server of this.#servers.keys()) if (server.listening) closeServer(server);
    for (const [event, listener] of this.#listeners) process.removeListener(event, listener);
    this.#listeners.clear();
    this.#timers.clear();
    this.#servers.clear();
    this.#lent.clear();
    this.#previous = undefined;
    this.#onRelease?.();
    this.#onRelease = undefined;
  }

  /** The generation has failed: the previous one, which goes on, gets its ports back. */
  undo(): void {
    const previous = this.#previous;
    this.release();
    if (previous) previous.#listenAgain();
  }

  #listenAgain(): void {
    for (const server of this.#lent) {
      const args = this.#servers.get(server) ?? [];
      (server.listen as Listen).apply(
        server,
        args.filter((argument) => typeof argument !== "function"),
      );
    }
    this.#lent.clear();
  }
}

const LISTENING = ["on", "addListener", "once", "prependListener", "prependOnceListener"] as const;

const UNCAUGHT = "uncaughtException";

let isFollowing = false;

/** Of uncaught errors, by those that code adds: they log what these throw, as `process.exit` in code does, which would end the process. */
const loggingListeners = new WeakMap<Listener, Listener>();

const logErrors = (listener: Listener): Listener =>
  loggingListeners.getOrInsertComputed(listener, () => (...args) => {
    try {
      listener(...args);
    } catch (error) {
      console.error(`error: ${formatStack(error)}`);
    }
  });

/** Makes servers, and what listens to events of the process, known to the generation that adds them. */
function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  for (const name of LISTENING) {
    const listen = process[name] as (event: string, listener: Listener) => unknown;
    Object.assign(process, {
      [name]: (event: string, listener: Listener): unknown => {
        const owner = owners.getStore();
        const added = owner && event === UNCAUGHT ? logErrors(listener) : listener;
        const result = listen.call(process, event, added);
        owner?.addListener(event, added);
        return result;
      },
    });
  }
  for (const name of ["off", "removeListener"] as const) {
    const remove = process[name] as (event: string, listener: Listener) => unknown;
    Object.assign(process, {
      [name]: (event: string, listener: Listener): unknown =>
        remove.call(process, event, (event === UNCAUGHT && loggingListeners.get(listener)) || listener),
    });
  }
  for (const { prototype } of [http.Server, net.Server]) {
    const listen = prototype.listen as Listen;
    Object.assign(prototype, {
      listen(this: Server, ...args: readonly unknown[]) {
        owners.getStore()?.addServer(this, args);
        return listen.apply(this, args as unknown[]);
      },
    });
  }
}

const following =
  (name: "setTimeout" | "setInterval") =>
  (...args: TimerArguments): Timer => {
    const timer = (globalThis[name] as (...own: TimerArguments) => Timer)(...args);
    owners.getStore()?.addTimer(timer);
    return timer;
  };

/** What the code has under the names of the runtime's functions. */
export const timerFunctions = {
  setInterval: following("setInterval"),
  // `promisify` finds a function in its properties
  setTimeout: Object.defineProperties(following("setTimeout"), Object.getOwnPropertyDescriptors(setTimeout)),
};

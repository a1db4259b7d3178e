/**
 * The main process of a server with several workers: starts them, replaces those that die, sends them changed files, and counts
 * requests for rate limits that all workers share. It serves no requests itself.
 */
import type { Subprocess } from "bun";
import { WindowCounter } from "../../engine/access/rate-limit.ts";
import { childEnvironment } from "../../lib/child-environment.ts";
import { Clock } from "../../lib/clock.ts";
import type { ProjectSource } from "../project/project-source.ts";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";

export interface PoolOptions {
  readonly count: number;
  /** Command that starts a worker. */
  readonly command: readonly string[];
  readonly setup: Omit<WorkerSetup, "number">;
  readonly source: ProjectSource;
  /** Reports workers that died or were replaced. */
  readonly report: (message: string) => void;
  /** How often workers are asked for a response; 1,000. */
  readonly pingMs?: number;
}

interface Child {
  /** Bun has `connected` as Node.js does, but its types lack it. */
  readonly process: Subprocess & { readonly connected?: boolean };
  /** Resolves when the process has exited and all its messages have been handled. */
  readonly ended: Promise<void>;
}

interface Slot {
  readonly number: number;
  child: Child | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Number of consecutive exits soon after the start. */
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Called when the worker reads from a snapshot. */
  pinned: () => void;
  /** By root: called when the worker serves it and no longer needs the files of earlier roots. */
  readonly reloaded: Map<string, () => void>;
  /** Why the worker cannot serve, as it reported. */
  reason: string | undefined;
  isListening: boolean;
  /** Number of consecutive pings without a response. */
  unanswered: number;
}

/** Maximum time to wait for workers to pin their snapshot. */
const PIN_MS = 1_000;
/** Longer than a worker waits for slow clients. */
const STOP_MS = 15_000;
/** A worker that dies later did not fail to start. */
const SETTLED_MS = 5_000;
/** A worker that fails to start is restarted after 0.1 s, then 0.2 s, and so on up to `MAX_DELAY_MS`. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/**
 * A worker that has not responded to so many pings is stopped or stuck, and its connections wait in vain. Counted rather than timed,
 * since this process may have been suspended together with its workers.
 */
const MAX_UNANSWERED = 15;
/** A worker that starts responds to nothing while its code is loaded, which takes long on a busy machine. */
const MAX_UNANSWERED_AT_START = 60;
const PING_MS = 1_000;

const startNow = () => ({ startedAt: Date.now(), reason: undefined, isListening: false, unanswered: 0 });

export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #counter = new WindowCounter(new Clock());
  #source: ProjectSource;
  #root: string;
  #stopping = false;
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#source = options.source;
    this.#root = options.setup.root;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      child: undefined,
      failures: 0,
      timer: undefined,
      pinned: () => {},
      reloaded: new Map(),
      ...startNow(),
    }));
  }

  /** Resolves when all workers listen. If one cannot, stops all of them and rejects. */
  async start(): Promise<void> {
    this.#pings = setInterval(() => this.#ping(), this.#options.pingMs ?? PING_MS);
    try {
      await Promise.all(this.#slots.map((slot) => this.#spawn(slot)));
    } catch (error) {
      await this.stop();
      throw error;
    }
    // from now on dead workers are replaced, including those that died while others were starting
    for (const slot of this.#slots) this.#watch(slot);
  }

  #ping(): void {
    for (const slot of this.#slots) {
      if (slot.unanswered < (slot.isListening ? MAX_UNANSWERED : MAX_UNANSWERED_AT_START)) {
        slot.unanswered++;
        send(slot.child, { kind: "ping" });
      } else {
        slot.unanswered = 0;
        slot.reason = "it did not respond any more";
        slot.child?.process.kill("SIGKILL");
      }
    }
  }

  /**
   * Sends changed files to the workers; the database must have been migrated. Resolves when no worker needs the files of an
   * earlier root.
   */
  async reload(source: ProjectSource, root: string = this.#root): Promise<void> {
    this.#source = source;
    this.#root = root;
    const reloaded = this.#slots.map(({ child, reloaded }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      reloaded.set(root, resolve);
      void child?.ended.then(resolve);
      send(child, { kind: "reload", root, source });
      return child && promise.then(() => reloaded.delete(root));
    });
    await Promise.all(reloaded);
  }

  /** Before tables change. Resolves when every worker reads from a snapshot, or after `PIN_MS`. */
  async pin(): Promise<void> {
    const pinned = this.#slots.map((slot) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      slot.pinned = resolve;
      void slot.child?.ended.then(resolve);
      send(slot.child, { kind: "pin" });
      return promise;
    });
    await Promise.race([Promise.all(pinned), Bun.sleep(PIN_MS)]);
  }

  unpin(): void {
    for (const { child } of this.#slots) send(child, { kind: "unpin" });
  }

  /** Workers finish their running requests; one that does not exit is killed after `STOP_MS`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#pings);
    for (const { child, timer } of this.#slots) {
      clearTimeout(timer);
      send(child, { kind: "stop" });
    }
    const timeout = setTimeout(() => this.kill(), STOP_MS);
    await Promise.all(this.#slots.map(({ child }) => child?.ended));
    clearTimeout(timeout);
  }

  kill(): void {
    for (const { child } of this.#slots) child?.process.kill("SIGKILL");
  }

  /** Starts the worker of a slot. Resolves when it listens; rejects if it exits before. */
  #spawn(slot: Slot): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const disconnected = Promise.withResolvers<void>();
    const { command, setup } = this.#options;
    const process = Bun.spawn([...command], {
      stdio: ["ignore", "inherit", "inherit"],
      env: childEnvironment(setup.environment),
      serialization: "advanced",
      ipc: (message: ToMain) => {
        slot.unanswered = 0;
        if (message.kind === "listening") {
          slot.isListening = true;
          resolve();
        } else if (message.kind === "pong") return;
        else if (message.kind === "pinned") slot.pinned();
        else if (message.kind === "reloaded") slot.reloaded.get(message.root)?.();
        else if (message.kind === "failed") slot.reason = message.message;
        else send(child, { kind: "counted", id: message.id, ...this.#counter.count(message.key, message.interval) });
      },
      onDisconnect: disconnected.resolve,
    });
    const ended = Promise.all([process.exited, disconnected.promise]).then(() => {});
    const child: Child = { process, ended };
    slot.child = child;
    Object.assign(slot, startNow());
    void ended.then(() => reject(new Error(describeExit(slot, process))));
    send(child, {
      kind: "start",
      setup: { ...setup, root: this.#root, number: slot.number },
      source: this.#source,
    });
    return promise;
  }

  #watch(slot: Slot): void {
    const child = slot.child;
    if (!child) return;
    void child.ended.then(() => {
      if (this.#stopping) return;
      this.#options.report(`${describeExit(slot, child.process)}; it is started again`);
      slot.failures = Date.now() - slot.startedAt < SETTLED_MS ? slot.failures + 1 : 0;
      const delay = slot.failures === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (slot.failures - 1));
      slot.timer = setTimeout(() => this.#replace(slot), delay);
    });
  }

  #replace(slot: Slot): void {
    if (this.#stopping) return;
    // `#watch` reports an early exit
    void this.#spawn(slot).catch(() => undefined);
    this.#watch(slot);
  }
}

/** Sends a message, unless the channel is closed: it closes before the exit of the process is known. */
function send(child: Child | undefined, message: ToWorker): void {
  if (child?.process.connected) child.process.send(message);
}

function describeExit({ number, reason }: Slot, { exitCode, signalCode }: Subprocess): string {
  const how = signalCode ? `by ${signalCode}` : `with code ${exitCode}`;
  return `worker ${number} ended ${how}${reason ? ` (${reason})` : ""}`;
}

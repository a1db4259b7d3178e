/**
 * The main process of a server with several workers: starts them, replaces those that die, hands changed files on, and
 * counts for all of them what must be counted as a whole. It answers no requests itself.
 */
import type { Subprocess } from "bun";
import { WindowCounter } from "../../access/rate-limit.ts";
import type { ProjectSource } from "../project-source.ts";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";

export interface PoolOptions {
  readonly count: number;
  /** The command that starts a worker. */
  readonly command: readonly string[];
  readonly setup: Omit<WorkerSetup, "number">;
  readonly source: ProjectSource;
  /** Reports workers that died. */
  readonly report: (message: string) => void;
}

interface Child {
  /** Bun has `connected`, as Node.js does; its types do not yet. */
  readonly process: Subprocess & { readonly connected?: boolean };
  /** Fulfilled when it has ended and everything that it sent has been taken. */
  readonly ended: Promise<void>;
}

interface Slot {
  readonly number: number;
  child: Child | undefined;
  /** Milliseconds since 1970. */
  started: number;
  /** How often in a row the worker died soon after its start. */
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Called when the worker reads from a snapshot. */
  pinned: () => void;
  /** Called when the worker needs the files of an earlier root no more, by the root that it serves. */
  readonly reloaded: Map<string, () => void>;
  /** Why the worker cannot serve, as it said itself. */
  reason: string | undefined;
}

/** A worker that is at work for longer is not waited for. */
const PIN_MS = 1_000;
/** Longer than a worker waits for slow clients. */
const STOP_MS = 15_000;
/** A worker that lived this long did not die of its start. */
const SETTLED_MS = 5_000;
/** A worker that dies at its start is started again after 0.1 s, 0.2 s and so on, up to this. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #counter = new WindowCounter();
  #source: ProjectSource;
  #root: string;
  #stopping = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#source = options.source;
    this.#root = options.setup.root;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      child: undefined,
      started: 0,
      failures: 0,
      timer: undefined,
      pinned: () => {},
      reloaded: new Map(),
      reason: undefined,
    }));
  }

  /** Fulfilled when all listen. Rejected, with none left, when one of them cannot. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map((slot) => this.#spawn(slot)));
    } catch (error) {
      await this.stop();
      throw error;
    }
    // from now on one that dies is replaced, also where it died while others were still starting
    for (const slot of this.#slots) this.#watch(slot);
  }

  /**
   * What the files say now; the database must be ready for it. Resolves when no worker needs the files of an earlier root
   * any more.
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

  /** The tables are about to change. Resolves when every worker reads from a snapshot, or does not answer. */
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

  /** Workers finish what they are answering; one that does not end by itself is killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { child, timer } of this.#slots) {
      clearTimeout(timer);
      send(child, { kind: "stop" });
    }
    const late = setTimeout(() => this.kill(), STOP_MS);
    await Promise.all(this.#slots.map(({ child }) => child?.ended));
    clearTimeout(late);
  }

  kill(): void {
    for (const { child } of this.#slots) child?.process.kill("SIGKILL");
  }

  /** Starts the worker of a slot. Fulfilled when it listens; rejected when it ends before. */
  #spawn(slot: Slot): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const { command, setup } = this.#options;
    const process = Bun.spawn([...command], {
      stdio: ["ignore", "inherit", "inherit"],
      env: setup.environment,
      serialization: "advanced",
      ipc: (message: ToMain) => {
        if (message.kind === "listening") resolve();
        else if (message.kind === "pinned") slot.pinned();
        else if (message.kind === "reloaded") slot.reloaded.get(message.root)?.();
        else if (message.kind === "failed") slot.reason = message.message;
        else send(child, { kind: "counted", id: message.id, ...this.#counter.count(message.key, message.interval) });
      },
      onDisconnect: closed.resolve,
    });
    const ended = Promise.all([process.exited, closed.promise]).then(() => {});
    const child: Child = { process, ended };
    slot.child = child;
    slot.started = Date.now();
    slot.reason = undefined;
    void ended.then(() => reject(new Error(endOf(slot, process))));
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
      this.#options.report(`${endOf(slot, child.process)}; it is started again`);
      slot.failures = Date.now() - slot.started < SETTLED_MS ? slot.failures + 1 : 0;
      const delay = slot.failures === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (slot.failures - 1));
      slot.timer = setTimeout(() => this.#replace(slot), delay);
    });
  }

  #replace(slot: Slot): void {
    if (this.#stopping) return;
    // nobody waits for it to listen: `#watch` reports when it ends before
    void this.#spawn(slot).catch(() => undefined);
    this.#watch(slot);
  }
}

/** A worker that is about to end takes no message any more, and needs none: its channel may be closed before its end is seen. */
function send(child: Child | undefined, message: ToWorker): void {
  if (child?.process.connected) child.process.send(message);
}

function endOf({ number, reason }: Slot, { exitCode, signalCode }: Subprocess): string {
  const how = signalCode ? `by ${signalCode}` : `with code ${exitCode}`;
  return `worker ${number} ended ${how}${reason ? ` (${reason})` : ""}`;
}

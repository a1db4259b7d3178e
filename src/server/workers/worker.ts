/** One of several processes that answer on the same port. It takes what to serve, and when to stop, from the main process. */
import type { Counter } from "../../access/rate-limit.ts";
import { ProjectError } from "../../errors.ts";
import type { Storage } from "../../storage/storage.ts";
import type { App } from "../app.ts";
import { type Listening, listen } from "../listen.ts";
import type { ProjectSource } from "../project-source.ts";
import type { Generations } from "../published/generations.ts";
import { type RunningOptions, type RunningProject, runProject } from "../running.ts";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";

type Counted = Awaited<ReturnType<Counter["count"]>>;

/** Counting in the main process. */
class RemoteCounter implements Counter {
  readonly #send: (message: ToMain) => void;
  readonly #pending = new Map<number, (counted: Counted) => void>();
  #last = 0;

  constructor(send: (message: ToMain) => void) {
    this.#send = send;
  }

  count(key: string, interval: number): Promise<Counted> {
    const { promise, resolve } = Promise.withResolvers<Counted>();
    const id = ++this.#last;
    this.#pending.set(id, resolve);
    this.#send({ kind: "count", id, key, interval });
    return promise;
  }

  take(id: number, counted: Counted): void {
    this.#pending.get(id)?.(counted);
    this.#pending.delete(id);
  }
}

/** What a worker serves: a project, or published archives. */
interface Served extends Pick<RunningProject, "handle" | "listensAt" | "trim" | "endStreams" | "close"> {
  readonly storage: () => Storage;
  /** Resolves when what was served before is not needed any more. */
  readonly reload: (root: string) => Promise<unknown>;
}

interface Serving {
  readonly running: Served;
  readonly reload: Served["reload"];
  readonly server: Listening;
}

async function serveProject(root: string, options: RunningOptions): Promise<Served> {
  const running = await runProject(root, options);
  return { ...running, storage: () => running.project().context.storage };
}

function servePublished(root: string, source: () => ProjectSource, options: RunningOptions): Served {
  const { Generations: Served } =
    require("../published/generations.ts") as typeof import("../published/generations.ts");
  const generations: Generations = new Served({ folder: root, source: source() }, options);
  const { handle, listensAt, trim } = generations;
  return {
    handle,
    listensAt,
    trim,
    storage: () => generations.project.context.storage,
    reload: (next) => generations.replace({ folder: next, source: source() }).released,
    close: () => generations.close(),
  };
}

export interface WorkerProcess {
  /** Wraps what answers requests. */
  readonly watch: (handle: App["handle"]) => App["handle"];
  /** To the main process. */
  readonly send: (message: ToMain) => void;
  readonly print: (line: string) => void;
  readonly logLine: (method: string, path: string, status: number, milliseconds: number) => string;
  /** Starts a process for long reads. */
  readonly readerCommand: readonly string[];
}

/** Returns what takes the main process's messages. `end` is called with the exit code. */
export function createWorker(
  { send, print, logLine, watch, readerCommand }: WorkerProcess,
  end: (code: number) => void,
) {
  const counter = new RemoteCounter(send);
  let source: ProjectSource;
  let serving: Serving | undefined;
  let stopping = false;
  /** What may change the snapshot that is read from goes one after the other: a reload ends with the newest one. */
  let snapshots: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => unknown): Promise<unknown> => {
    snapshots = snapshots.then(work);
    return snapshots;
  };

  const start = async (setup: WorkerSetup): Promise<Serving> => {
    const tell = (line: string): void => {
      if (!setup.quiet) print(`[${setup.number}] ${line}`);
    };
    const options: RunningOptions = {
      memory: false,
      publicRead: setup.publicRead,
      admin: () => setup.admin,
      environment: setup.environment,
      watch: false,
      prepared: () => source,
      counter,
      readerCommand,
      address: () => setup.address,
      announce: tell,
      // the main process reports changed files, once for all
      report: () => {},
    };
    const running = setup.isPublished
      ? servePublished(setup.root, () => source, options)
      : await serveProject(setup.root, options);
    const log = (...answer: Parameters<typeof logLine>): void => tell(logLine(...answer));
    const { port, host, quiet } = setup;
    const server = listen(
      { ...running, handle: watch(running.handle) },
      { port, host, shared: true, ...(quiet ? {} : { log }) },
    );
    // published archives have a storage each, and are not pinned
    const reload: Served["reload"] = setup.isPublished ? running.reload : (root) => inTurn(() => running.reload(root));
    return { running, reload, server };
  };

  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await serving?.server.stop();
    await serving?.running.close();
    end(0);
  };

  const take = async (message: ToWorker): Promise<void> => {
    switch (message.kind) {
      case "start":
        source = message.source;
        serving = await start(message.setup);
        return send({ kind: "listening" });
      case "reload":
        source = message.source;
        await serving?.reload(message.root);
        return send({ kind: "reloaded", root: message.root });
      case "pin":
        await inTurn(() => serving?.running.storage().pin());
        return send({ kind: "pinned" });
      case "unpin":
        await inTurn(() => serving?.running.storage().unpin());
        return;
      case "counted":
        return counter.take(message.id, message);
      case "stop":
        return stop();
    }
  };

  return {
    stop,
    take: (message: ToWorker): void => {
      take(message).catch((error: unknown) => {
        const text = error instanceof ProjectError ? error.message : Bun.inspect(error);
        send({ kind: "failed", message: text });
        end(1);
      });
    },
  };
}

/** One of several processes that serve the same port. The main process tells it what to serve and when to stop. */
import type { Counter } from "../../engine/access/rate-limit.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { ProjectError } from "../../lib/errors.ts";
import type { App } from "../app.ts";
import { type Listening, listen } from "../listen.ts";
import type { ProjectSource } from "../project/project-source.ts";
import type { Generations } from "../published/generations.ts";
import { type RunningOptions, type RunningProject, runProject } from "../running.ts";
import type { ToMain, ToWorker, WorkerSetup } from "./messages.ts";

/** What a worker serves: a project, or published archives. */
interface Served extends Pick<RunningProject, "handle" | "attachServer" | "trim" | "endStreams" | "close"> {
  readonly storage: () => Storage;
  /** Resolves when the previous content is no longer needed. */
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
  const { handle, attachServer, trim } = generations;
  return {
    handle,
    attachServer,
    trim,
    storage: () => generations.project.context.storage,
    reload: (next) => generations.replace({ folder: next, source: source() }).released,
    close: () => generations.close(),
  };
}

export interface WorkerProcess {
  /** Wraps the request handler. */
  readonly wrapHandler: (handle: App["handle"]) => App["handle"];
  /** To the main process. */
  readonly send: (message: ToMain) => void;
  readonly print: (line: string) => void;
  readonly logLine: (method: string, path: string, status: number, milliseconds: number) => string;
  /** Starts a process for long reads. */
  readonly readerCommand: readonly string[];
}

interface WorkerState {
  readonly source: () => ProjectSource;
  readonly counter: Counter;
  /** Runs operations that change the snapshot one after the other. */
  readonly enqueue: (work: () => unknown) => Promise<unknown>;
}

async function serve(
  setup: WorkerSetup,
  { print, logLine, wrapHandler, readerCommand }: WorkerProcess,
  { source, counter, enqueue }: WorkerState,
): Promise<Serving> {
  const printLine = (line: string): void => {
    if (!setup.quiet) print(`[${setup.number}] ${line}`);
  };
  const options: RunningOptions = {
    memory: false,
    publicRead: setup.publicRead,
    admin: () => setup.admin,
    environment: setup.environment,
    watch: false,
    prepared: source,
    counter,
    readerCommand,
    address: () => setup.address,
    announce: printLine,
    // the main process reports changed files
    report: () => {},
  };
  const running = setup.isPublished
    ? servePublished(setup.root, source, options)
    : await serveProject(setup.root, options);
  const log = (...answer: Parameters<typeof logLine>): void => printLine(logLine(...answer));
  const { port, host, quiet } = setup;
  const server = listen(
    { ...running, handle: wrapHandler(running.handle) },
    { port, host, shared: true, ...(quiet ? {} : { log }) },
  );
  // each published archive has its own storage, which is never pinned
  const reload: Served["reload"] = setup.isPublished ? running.reload : (root) => enqueue(() => running.reload(root));
  return { running, reload, server };
}

/** Returns the handler of the main process's messages. `end` is called with the exit code. */
export function createWorker(process: WorkerProcess, end: (code: number) => void) {
  const { send } = process;
  /** By id: called with the count of the main process. */
  const pendingCounts = new Map<number, (counted: Awaited<ReturnType<Counter["count"]>>) => void>();
  let lastCount = 0;
  const counter: Counter = {
    count: (key, interval) =>
      new Promise((resolve) => {
        pendingCounts.set(++lastCount, resolve);
        send({ kind: "count", id: lastCount, key, interval });
      }),
  };
  let source: ProjectSource;
  let serving: Serving | undefined;
  let stopping = false;
  /** Queue of operations that change the snapshot: pins, unpins and reloads run in the order of the messages. */
  let snapshots: Promise<unknown> = Promise.resolve();
  const enqueue = (work: () => unknown): Promise<unknown> => {
    snapshots = snapshots.then(work);
    return snapshots;
  };

  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await serving?.server.stop();
    await serving?.running.close();
    end(0);
  };

  const handleMessage = async (message: ToWorker): Promise<void> => {
    switch (message.kind) {
      case "start":
        source = message.source;
        serving = await serve(message.setup, process, { source: () => source, counter, enqueue });
        return send({ kind: "listening" });
      case "reload":
        source = message.source;
        await serving?.reload(message.root);
        return send({ kind: "reloaded", root: message.root });
      case "ping":
        return send({ kind: "pong" });
      case "pin":
        await enqueue(() => serving?.running.storage().pin());
        return send({ kind: "pinned" });
      case "unpin":
        await enqueue(() => serving?.running.storage().unpin());
        return;
      case "counted":
        pendingCounts.get(message.id)?.(message);
        pendingCounts.delete(message.id);
        return;
      case "stop":
        return stop();
    }
  };

  return {
    stop,
    take: (message: ToWorker): void => {
      handleMessage(message).catch((error: unknown) => {
        const text = error instanceof ProjectError ? error.message : Bun.inspect(error);
        send({ kind: "failed", message: text });
        end(1);
      });
    },
  };
}

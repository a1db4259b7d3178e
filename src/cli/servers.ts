/** The ways to serve an open project: in this process, or in several. */
import { printable } from "../print-value.ts";
import { type Listening, listen } from "../server/listen.ts";
import type { Project } from "../server/project.ts";
import type { ProjectSource } from "../server/project-source.ts";
import type { RunningProject } from "../server/running.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { logLine } from "./log-line.ts";
import type { SafetyNet } from "./safety-net.ts";
import { addressOf } from "./welcome.ts";

/** Starts this program again. */
export const OWN_COMMAND = [process.execPath, ...(Bun.isStandaloneExecutable ? [] : [Bun.main])];
/** The command that starts a process for long reads. */
export const READER_COMMAND = [...OWN_COMMAND, "read-rows"];

/** Throws a UsageError for a port that cannot be listened on. */
function open(app: Parameters<typeof listen>[0], options: Parameters<typeof listen>[1]): Listening {
  try {
    return listen(app, options);
  } catch (error) {
    const { port, host } = options;
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") {
      const { portOwner } = require("./port-owner.ts") as typeof import("./port-owner.ts");
      const owner = portOwner(port);
      const by = owner ? ` by ${printable(owner.name)} (process ${owner.pid})` : "";
      throw new UsageError(`port ${port} is in use${by}; --port chooses another one, and --port 0 a free one`);
    }
    if (code === "EACCES")
      throw new UsageError(`port ${port} may not be used by this user; --port chooses another one`);
    // an invalid name, or an address of another machine: systems have many codes for these
    throw new UsageError(`cannot listen on host "${host}" (${(error as Error).message}); --host chooses another one`);
  }
}

/** What answers requests: this process, or others. */
export interface Server {
  readonly address: string;
  readonly stop: () => Promise<void>;
  /** Does not wait for clients. */
  readonly kill: () => void;
}

export interface ServerOptions {
  readonly call: CommandCall;
  readonly port: number;
  readonly host: string;
  readonly net: SafetyNet;
  /** Sets what is called while changed files are taken over. */
  readonly follow: (follower: Follower) => void;
}

/** Other processes that serve the same files. */
export interface Follower {
  /** The tables are about to change. */
  readonly changing: () => Promise<void>;
  readonly changed: (project: Project) => Promise<void>;
  /** After each attempt, also one that has changed nothing. */
  readonly settled: () => void;
}

export function serveHere(running: RunningProject, { call, port, host, net }: ServerOptions): Server {
  const log = call.flag("quiet")
    ? {}
    : { log: (...answer: Parameters<typeof logLine>) => call.print(logLine(...answer)) };
  const server = open({ ...running, handle: net.watch(running.handle) }, { port, host, ...log });
  return { address: addressOf(host, server.port), stop: () => server.stop(), kill: () => {} };
}

export async function serveWithWorkers(
  running: RunningProject,
  options: ServerOptions,
  count: number,
): Promise<Server> {
  const { WorkerPool } = require("../server/workers/pool.ts") as typeof import("../server/workers/pool.ts");
  const { call, host, follow } = options;
  const { root } = running.project();
  const source = (): ProjectSource => ({ settings: running.project().settings, schema: running.project().schema });
  // fails when the port is in use, which workers that share it could not see
  const claim = open(running, options);
  const { port } = claim;
  await claim.stop();
  const address = addressOf(host, port);
  // users have their passwords, and everything is applied
  await running.project().idle();
  const pool = new WorkerPool({
    count,
    command: [...OWN_COMMAND, "worker"],
    setup: {
      root,
      isPublished: running.project().isReadOnly,
      port,
      host,
      address,
      publicRead: call.flag("public"),
      admin: running.project().hasAdmin,
      quiet: call.flag("quiet"),
      environment: call.environment,
    },
    source: source(),
    report: (message) => console.error(`galley: ${message}`),
  });
  follow({
    changing: () => pool.pin(),
    changed: (project) => project.idle().then(() => pool.reload(source(), project.root)),
    // in the order of the messages, after a reload
    settled: () =>
      void running
        .project()
        .idle()
        .then(() => pool.unpin()),
  });
  await pool.start();
  return { address, stop: () => pool.stop(), kill: () => pool.kill() };
}

/** Serves an open project in this process or in several. */
import { printable } from "../../lib/printable.ts";
import type { Project } from "../../server/project/project.ts";
import type { ProjectSource } from "../../server/project/project-source.ts";
import type { RunningProject } from "../../server/running.ts";
import type { CommandCall } from "../command.ts";
import { OWN_COMMAND } from "../own-command.ts";
import { serverUrl } from "./hosts.ts";
import { listenOrExplain } from "./listen-or-explain.ts";

/** The command that starts a process for long reads. */
export const READER_COMMAND = [...OWN_COMMAND, "read-rows"];

/** The log line of a response. Requests cannot forge lines or control the terminal, and credentials are left out. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  `${printable(`${method} ${path}`)} ${status} ${milliseconds.toFixed(1)} ms`;

/** A running server: this process, or several workers. */
export interface Server {
  readonly address: string;
  readonly stop: () => Promise<void>;
  /** Stops without waiting for clients. */
  readonly kill: () => void;
}

export interface ServerOptions {
  readonly call: CommandCall;
  readonly port: number;
  readonly host: string;
  /** Sets the follower that is notified of changed files. */
  readonly follow: (follower: Follower) => void;
}

/** Notifies the other processes that serve the same files. */
export interface Follower {
  /** Before tables change. */
  readonly beforeChange: () => Promise<void>;
  readonly changed: (project: Project) => Promise<void>;
  /** After each reload, including failed ones. */
  readonly settled: () => void;
}

export function serveInProcess(running: RunningProject, { call, port, host }: ServerOptions): Server {
  const print = (...answer: Parameters<typeof logLine>): void => {
    const log = running.project().code?.runtime.log;
    // with `config/logger`, requests are where the project's own lines are
    if (log?.isConfigured) log.http(logLine(...answer));
    else call.print(logLine(...answer));
  };
  const log = call.flag("quiet") ? {} : { log: print };
  const server = listenOrExplain({ ...running, handle: call.net.track(running.handle) }, { port, host, ...log });
  return { address: serverUrl(host, server.port), stop: () => server.stop(), kill: () => {} };
}

export async function serveWithWorkers(
  running: RunningProject,
  options: ServerOptions,
  count: number,
): Promise<Server> {
  const { WorkerPool } = require("../../server/workers/pool.ts") as typeof import("../../server/workers/pool.ts");
  const { call, host, follow } = options;
  const { root } = running.project();
  const source = (): ProjectSource => ({ settings: running.project().settings, schema: running.project().schema });
  // workers share the port, so that only this process can detect that another program uses it
  const probe = listenOrExplain(running, options);
  const { port } = probe;
  await probe.stop();
  const address = serverUrl(host, port);
  // workers change nothing in the database: wait until passwords of configured users are stored
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
    beforeChange: () => pool.pin(),
    changed: (project) => project.idle().then(() => pool.reload(source(), project.root)),
    // waits like `changed`, so that "unpin" is sent after "reload"
    settled: () =>
      void running
        .project()
        .idle()
        .then(() => pool.unpin()),
  });
  await pool.start();
  return { address, stop: () => pool.stop(), kill: () => pool.kill() };
}

/** `galley serve`: serves a project, an archive or published content until it is stopped. */
import { resolve } from "node:path";
import { ProjectError } from "../../errors.ts";
import type { Project } from "../../server/project.ts";
import { isLocation, publishedLocation } from "../../server/published/location.ts";
import { type RunningProject, runProject } from "../../server/running.ts";
import type { StartOptions } from "../../server/start.ts";
import { findArchive } from "../archive-source.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { checkProjectFolder } from "../project-folder.ts";
import { type PublishedCall, publishedOptions } from "../published-options.ts";
import { SafetyNet } from "../safety-net.ts";
import { choosePort, hostFor, parseWorkers, servesAdmin } from "../serve-options.ts";
import {
  type Follower,
  OWN_COMMAND,
  READER_COMMAND,
  type Server,
  type ServerOptions,
  serveInProcess,
  serveWithWorkers,
} from "../servers.ts";
import { welcome } from "../welcome.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** A repeated signal within this time counts as one: Ctrl+C reaches this process and its launcher, which forwards it. */
const SAME_SIGNAL_MS = 500;
/** A one-time sign-in link for the admin page; undefined if it is disabled. */
function adminLinkOf({ hasAdmin, secrets }: Project, address: string): string | undefined {
  if (!hasAdmin) return undefined;
  const { signInLink } = require("../../admin/session/session.ts") as typeof import("../../admin/session/session.ts");
  return signInLink(address, secrets.admin);
}

async function runServe(call: CommandCall): Promise<undefined> {
  const { environment, print } = call;
  const location = call.arguments[0] ?? ".";
  const isPublished = isLocation(location);
  const root = isPublished ? location : resolve(location);
  const archive = isPublished ? undefined : findArchive(root, call.text("key"));
  const published = isPublished ? publishedOptions(call) : undefined;
  if (!published && call.text("refresh") !== undefined)
    throw new UsageError("--refresh is for archives at https:// or s3://");
  if (!published && !archive) {
    checkProjectFolder(root);
    // the project's own code may use relative paths
    process.chdir(root);
  }
  if (call.flag("admin") && call.flag("no-admin")) throw new UsageError("--admin and --no-admin exclude each other");
  const memory = call.flag("memory") || archive !== undefined;
  const workers = parseWorkers(call.text("workers") ?? "1", memory);
  const printUnlessQuiet = (text: string): void => {
    if (!call.flag("quiet")) print(text);
  };
  let server: Server | undefined;
  let follower: Follower | undefined;
  let hostNotice: string | undefined;
  const net = new SafetyNet({ print: console.error, end: () => process.exit(1) });
  const options: StartOptions = {
    memory,
    archive,
    publicRead: call.flag("public"),
    admin: (settings) => servesAdmin(call, settings),
    environment,
    readerCommand: READER_COMMAND,
    address: () => server?.address ?? "",
    announce: printUnlessQuiet,
  };
  const report = (text: string | ProjectError): void =>
    text instanceof ProjectError ? console.error(`galley: ${text.message}`) : printUnlessQuiet(text);
  const serveLocation = async ({ key, refresh }: PublishedCall): Promise<RunningProject> => {
    const { runPublished } =
      require("../../server/published/published.ts") as typeof import("../../server/published/published.ts");
    const { loadInChildProcess } =
      require("../../server/published/load.ts") as typeof import("../../server/published/load.ts");
    // exit on a signal during the download, so that temporary files are removed
    const interrupt = (): never => process.exit(130);
    for (const signal of SIGNALS) process.on(signal, interrupt);
    const running = await runPublished(publishedLocation(location, environment), {
      ...options,
      admin: () => false,
      key,
      refresh,
      load: (task, signal) => loadInChildProcess(task, { command: [...OWN_COMMAND, "load-archive"], signal }),
      report,
      changed: (project) => follower?.changed(project),
    });
    for (const signal of SIGNALS) process.off(signal, interrupt);
    return running;
  };
  const serveFiles = (): Promise<RunningProject> =>
    runProject(root, {
      ...options,
      watch: !archive,
      skipsFailingCode: true,
      report,
      changeTables: (project) => {
        const { changeTables } =
          require("../../server/change-tables.ts") as typeof import("../../server/change-tables.ts");
        return changeTables(project, options, {
          command: [...OWN_COMMAND, "migrate"],
          beforeChange: () => follower?.beforeChange(),
        });
      },
      changed: (project) => void follower?.changed(project),
      settled: () => follower?.settled(),
    });
  const running = await (published ? serveLocation(published) : serveFiles());
  net.install();
  try {
    const { settings } = running.project();
    const port = choosePort(call, settings);
    const { host, notice } = hostFor(call, settings);
    hostNotice = notice;
    const follow: ServerOptions["follow"] = (next) => {
      follower = next;
    };
    const serverOptions = { call, port, host, net, follow };
    const isSingleProcess = workers === 1 || running.project().code !== undefined;
    if (isSingleProcess && workers > 1)
      printUnlessQuiet("--workers is not used: this project's own code runs in one process");
    server = isSingleProcess
      ? serveInProcess(running, serverOptions)
      : await serveWithWorkers(running, serverOptions, workers);
  } catch (error) {
    await running.close();
    throw error;
  }
  const { address, stop, kill } = server;
  if (!call.flag("quiet")) {
    for (const text of welcome(running, address, hostNotice)) call.print(text);
    const link = adminLinkOf(running.project(), address);
    if (link) call.print(`admin page, for whoever opens this link first: ${link}`);
  }
  if (call.flag("open")) {
    const link = adminLinkOf(running.project(), address);
    const { openPage } = require("../open-page.ts") as typeof import("../open-page.ts");
    const desktop = {
      platform: process.platform,
      environment,
      isInstalled: (name: string) => Bun.which(name) !== null,
    };
    openPage(link ?? `${address}${running.project().settings.graphql.endpoint}`, desktop, printUnlessQuiet);
  }
  let stoppedAt: number | undefined;
  const shutDown = async (): Promise<void> => {
    if (stoppedAt !== undefined) {
      if (performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
      // a second signal stops at once
      kill();
      process.exit(130);
    }
    stoppedAt = performance.now();
    await stop();
    await running.close();
    process.exit(0);
  };
  for (const signal of SIGNALS) process.on(signal, shutDown);
  return undefined;
}

export const serve: Command = {
  name: "serve",
  summary: "Serve a project's content-types over REST and GraphQL",
  usage: "[project | archive | url]",
  maxArguments: 1,
  options: {
    port: { type: "string", value: "number", summary: "Port to listen on (PORT; default 1337); 0 takes a free one" },
    host: { type: "string", value: "name", summary: "Host to listen on (HOST; default localhost, on IPv4 and IPv6)" },
    workers: {
      type: "string",
      value: "number",
      summary: "Number of server processes, 1 to 64 (default 1; more on Linux only)",
    },
    memory: { type: "boolean", summary: "Keep the database in memory and write nothing" },
    refresh: {
      type: "string",
      value: "time",
      summary: "How often an archive at https:// or s3:// is checked for changes: 30s, 5m (default: never)",
    },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    public: { type: "boolean", summary: "Let everybody read every content-type" },
    admin: {
      type: "boolean",
      summary: "Serve the admin page and its routes on a public address and in production, too",
    },
    "no-admin": { type: "boolean", summary: "Serve neither the admin page nor its routes" },
    open: { type: "boolean", summary: "Open the admin page in the browser, or GraphQL's without one" },
    quiet: { type: "boolean", summary: "Print errors only" },
  },
  run: runServe,
};

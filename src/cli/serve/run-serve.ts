/** The steps of `galley serve`: find what to serve, open it, listen, and print where it is. */
import type { Project } from "../../server/project/project.ts";
import type { RunningProject } from "../../server/running.ts";
import type { StartOptions } from "../../server/start.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { blockingProgress } from "../progress.ts";
import { openRunning } from "./open-running.ts";
import { choosePort, hostFor, parseWorkers, servesAdmin } from "./options.ts";
import { type Follower, READER_COMMAND, type Server, serveInProcess, serveWithWorkers } from "./servers.ts";
import { stopOnSignals } from "./stop-signals.ts";
import { readTarget, type ServeTarget } from "./target.ts";
import { welcome } from "./welcome.ts";

type Print = (text: string) => void;

/** A one-time sign-in link for the admin page; undefined if it is disabled. */
function createAdminLink({ hasAdmin, secrets }: Project, address: string): string | undefined {
  if (!hasAdmin) return undefined;
  const { signInLink } = require("../../admin/session/session.ts") as typeof import("../../admin/session/session.ts");
  return signInLink(address, secrets.admin, Date.now());
}

/** In this process if code of the project runs, or one process is enough. */
function startServer(
  running: RunningProject,
  options: Parameters<typeof serveWithWorkers>[1],
  workers: number,
  print: Print,
): Server | Promise<Server> {
  const hasCode = running.project().code !== undefined;
  if (hasCode && workers > 1) print("--workers is not used: this project's own code runs in one process");
  return hasCode || workers === 1 ? serveInProcess(running, options) : serveWithWorkers(running, options, workers);
}

function announce(call: CommandCall, running: RunningProject, address: string, hostNotice: string | undefined): void {
  for (const text of welcome(running, address, hostNotice)) call.print(text);
  const { settings } = running.project();
  const isPublic = settings.environment.NODE_ENV === "production" && URL.canParse(settings.server.url ?? "");
  // in production, whoever reads the log is on another machine
  const link = createAdminLink(running.project(), isPublic ? settings.server.url!.replace(/\/+$/, "") : address);
  if (link) call.print(`admin page, for whoever opens this link first: ${link}`);
}

function openInBrowser({ environment }: CommandCall, running: RunningProject, address: string, print: Print): void {
  const { openPage } = require("./open-page.ts") as typeof import("./open-page.ts");
  const isInstalled = (name: string): boolean => Bun.which(name) !== null;
  const project = running.project();
  const page = createAdminLink(project, address) ?? `${address}${project.settings.graphql.endpoint}`;
  openPage(page, { platform: process.platform, environment, isInstalled }, print);
}

function startOptions(call: CommandCall, target: ServeTarget, address: () => string, print: Print): StartOptions {
  const archive = target.kind === "archive" ? target.archive : undefined;
  return {
    memory: call.flag("memory") || archive !== undefined,
    archive,
    publicRead: call.flag("public"),
    admin: (settings) => servesAdmin(call, settings),
    environment: call.environment,
    ignoresContentChanges: call.flag("no-content-sync"),
    readerCommand: READER_COMMAND,
    address,
    announce: print,
  };
}

/** Throws a UsageError for options that exclude each other. */
export async function runServe(call: CommandCall): Promise<undefined> {
  const target = readTarget(call);
  // the project's own code may use relative paths
  if (target.kind === "project") process.chdir(target.root);
  if (call.flag("admin") && call.flag("no-admin")) throw new UsageError("--admin and --no-admin exclude each other");
  const printUnlessQuiet: Print = call.flag("quiet") ? () => {} : call.print;
  let server: Server | undefined;
  let follower: Follower | undefined;
  const { show, end } = blockingProgress(call);
  const start = {
    ...startOptions(call, target, () => server?.address ?? "", printUnlessQuiet),
    ...(show && { progress: show }),
  };
  const workers = parseWorkers(call.text("workers") ?? "1", start.memory);
  const running = await openRunning(target, {
    start,
    report: (message) =>
      typeof message === "string" ? printUnlessQuiet(message) : console.error(`galley: ${message.message}`),
    follower: () => follower,
  }).finally(end);
  let hostNotice: string | undefined;
  try {
    const { settings } = running.project();
    const { host, notice } = hostFor(call, settings);
    hostNotice = notice;
    const follow = (next: Follower): void => {
      follower = next;
    };
    const options = { call, port: choosePort(call, settings), host, follow };
    server = await startServer(running, options, workers, printUnlessQuiet);
  } catch (error) {
    await running.close();
    throw error;
  }
  // whoever waits for the announcement may stop it then
  stopOnSignals(server, running);
  const { address } = server;
  if (!call.flag("quiet")) announce(call, running, address, hostNotice);
  if (call.flag("open")) openInBrowser(call, running, address, printUnlessQuiet);
  return undefined;
}

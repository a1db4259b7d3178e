/** `galley run`: runs a command, such as a site's build, with a server for the time that it runs. */
import { resolve } from "node:path";
import type { Secrets } from "../../engine/access/secrets.ts";
import type { Settings } from "../../engine/config/settings.ts";
import { CacheTags } from "../../lib/cache-tags.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import type { ProjectError } from "../../lib/errors.ts";
import { type App, createApp } from "../../server/app.ts";
import { Builds, type Site } from "../../server/builds/builds.ts";
import { CHANGES_PATH } from "../../server/change-feed/routes.ts";
import { type Listening, listen } from "../../server/listen.ts";
import type { Project } from "../../server/project/project.ts";
import { dataFolder } from "../../server/project/project-source.ts";
import { runProject } from "../../server/running.ts";
import { type StartOptions, startProject } from "../../server/start.ts";
import { findArchive } from "../archive-source.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { frontEndEnvironment, namedEnvironment } from "../front-end-environment.ts";
import { findProject, projectFolder } from "../project-folder.ts";
import { RequestRecorder } from "../request-recorder.ts";
import { listenOrExplain } from "../serve/listen-or-explain.ts";
import { parsePort } from "../serve/options.ts";

/** Exit codes of a shell for a command that does not exist or is not executable. */
const startErrors: Readonly<Record<string, { readonly exitCode: number; readonly reason: string }>> = {
  ENOENT: { exitCode: 127, reason: "there is no such command" },
  EACCES: { exitCode: 126, reason: "this is not a command" },
};
const FORWARDED_SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

function parseMaxLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (/^-?\d+$/.test(text) && (limit === -1 || limit > 0)) return limit;
  throw new UsageError(`--max-limit must be a positive number, or -1 for none, not "${text}"`);
}

/** `limit` undefined: keep the limits of the project's files. */
const withMaxLimit = (settings: Settings, limit: number | undefined): Settings =>
  limit === undefined
    ? settings
    : {
        ...settings,
        rest: { ...settings.rest, maxLimit: limit === -1 ? undefined : limit },
        graphql: { ...settings.graphql, maxLimit: limit },
      };

/** The front end was written for Strapi 4: `data.attributes` in REST, and the levels of its queries in GraphQL. */
const withV4Format = ({ graphql, ...settings }: Settings): Settings => ({
  ...settings,
  graphql: { ...graphql, v4CompatibilityMode: true },
});

const startCommand = (command: readonly string[], env: CommandCall["environment"], cwd: string) =>
  Bun.spawn([...command], { cwd, env, stdin: "inherit", stdout: "inherit", stderr: "inherit" });

/** Runs the command. Resolves with its exit code, or 128 plus the number of the signal that killed it. */
async function execute(command: readonly string[], environment: CommandCall["environment"], cwd: string) {
  let child: ReturnType<typeof startCommand> | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    // Ctrl+C in a terminal reaches the command directly
    if (signal !== "SIGINT" || !process.stdin.isTTY) child?.kill(signal);
  };
  // before the command starts: a signal that it waits for must not end this process instead
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    child = startCommand(command, environment, cwd);
    await child.exited;
    const { constants } = require("node:os") as typeof import("node:os");
    return child.exitCode ?? 128 + constants.signals[child.signalCode as NodeJS.Signals];
  } catch (error) {
    const startError = child ? undefined : startErrors[findErrorCode(error)];
    if (!startError) throw error;
    const isQuoted = command.length === 1 && /\s/.test(command[0]!);
    const hint = isQuoted ? "; write it without quotes, or, for a shell's syntax, behind sh -c" : "";
    console.error(`galley: ${command[0]}: ${startError.reason}${hint}`);
    return startError.exitCode;
  } finally {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  }
}

/** Checks before a long build that the file can be written. Rejects with a UsageError. */
async function prepareRecord(file: string): Promise<void> {
  try {
    await Bun.write(file, "[]\n");
  } catch (cause) {
    throw new UsageError(`--record: ${file} cannot be written (${findErrorCode(cause)})`, { cause });
  }
}

/** What the command gets answers from. The key of the command is valid. */
interface Served {
  readonly project: Project;
  readonly app: Pick<App, "handle" | "attachServer" | "trim"> & Partial<Pick<App, "endStreams">>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const allowKey = ({ access, secrets }: Project): void => access.tokens.addTransient(buildKey(secrets));

/** A build reads the project as it was at the start. */
async function serveOnce(root: string, options: StartOptions): Promise<Served> {
  const { project } = await startProject(root, options);
  await project.idle();
  project.context.storage.serve();
  allowKey(project);
  return { project, app: createApp(project), [Symbol.asyncDispose]: () => project.close() };
}

/** A development server reads it as its files are. */
async function followFiles(root: string, options: StartOptions): Promise<Served> {
  const report = (message: string | ProjectError): void =>
    console.error(`galley: ${typeof message === "string" ? message : message.message}`);
  const app = await runProject(root, { ...options, watch: true, report, changed: allowKey });
  const project = app.project();
  allowKey(project);
  return { project, app, [Symbol.asyncDispose]: app.close };
}

/** The same for each build of the project, as all of its environment. Whoever knows the secret can sign in as the administrator anyway. */
const buildKey = ({ admin }: Secrets): string =>
  new Bun.CryptoHasher("sha256", admin).update("galley run").digest("hex");

const FIRST_PORT = 20_000;
/** Below those that systems give away. */
const PORTS = 12_000;

/** Bundlers write the URL into what they make and keep, so that it is the same for each build of a site. */
const usualPort = (site: Site): number => FIRST_PORT + Number(Bun.hash(JSON.stringify(site)) % BigInt(PORTS));

/** `port` undefined: the usual one, or a free one if that is in use. Throws a UsageError if the port cannot be used. */
function listenFor(app: Parameters<typeof listen>[0], port: number | undefined, usual: number): Listening {
  const options = { host: "localhost", graceMs: 0 };
  if (port !== undefined) return listenOrExplain(app, { ...options, port });
  try {
    return listen(app, { ...options, port: usual });
  } catch (error) {
    if (findErrorCode(error) !== "EADDRINUSE") throw error;
    return listen(app, { ...options, port: 0 });
  }
}

/** For `since` of the change feed. Bundlers keep the environment in what they make, so that it has no token, which is another each time. */
const LAST_BUILD = "last-build";

/** `token`: of the command's last build that succeeded; undefined: everything is new. */
function sinceLastBuild(request: Request, token: string | undefined): Request {
  const url = new URL(request.url);
  if (url.pathname !== CHANGES_PATH || url.searchParams.get("since") !== LAST_BUILD) return request;
  url.searchParams.delete("since");
  if (token === undefined) url.searchParams.set("full", "1");
  else url.searchParams.set("since", token);
  return new Request(url.href, request);
}

/** Records each request, and its response. */
function recorded(
  app: Served["app"],
  recorder: RequestRecorder,
  cacheTags: CacheTags | undefined,
  isV4: boolean,
): App["handle"] {
  return async (request) => {
    if (isV4) request.headers.set("strapi-response-format", "v4");
    const startedAt = performance.now();
    const { method, url } = request;
    // responses are parsed here, and compression is pointless on one machine
    request.headers.delete("accept-encoding");
    const isPublic = !request.headers.has("authorization");
    const query = await recorder.readQuery(request);
    const response = await app.handle(request);
    const { status } = response;
    const milliseconds = performance.now() - startedAt;
    const text = recorder.needsBody(response) ? await response.clone().text() : undefined;
    const bytes = text === undefined ? Number(response.headers.get("content-length")) : Buffer.byteLength(text);
    // a response to HEAD is empty
    const body: unknown = text ? JSON.parse(text) : undefined;
    const tags = cacheTags?.read(response.headers);
    recorder.add({ method, url, query }, { status, milliseconds, bytes, body, tags, isPublic });
    return response;
  };
}

/** The change feed's token of now; undefined if the feed cannot be read. */
async function currentToken(app: Served["app"], key: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await app.handle(new Request(`http://localhost${CHANGES_PATH}`, { headers }));
  return response.ok ? ((await response.json()) as { token: string }).token : undefined;
}

async function runRun(call: CommandCall): Promise<number> {
  const { environment } = call;
  if (call.rest.length === 0) throw new UsageError("which command? galley run [project | archive] -- <command …>");
  const maxLimit = parseMaxLimit(call.text("max-limit"));
  const port = parsePort(call.text("port"), "--port");
  const isV4 = call.flag("v4");
  const pairs = call.list("env");
  // before the project is opened
  namedEnvironment(pairs, "", "");
  const recordFile = call.text("record") === undefined ? undefined : resolve(call.text("record")!);
  const cwd = process.cwd();
  const site: Site = { folder: cwd, command: call.rest };
  const root = resolve(call.arguments[0] ?? findProject(process.cwd()) ?? ".");
  const archive = findArchive(root, call.text("key"));
  if (archive && call.flag("watch")) throw new UsageError("--watch is for a project, not for an archive");
  if (!archive) {
    projectFolder(root);
    // the project's own code may use relative paths
    process.chdir(root);
  }
  if (recordFile !== undefined) await prepareRecord(recordFile);
  let url = "";
  const memory = call.flag("memory") || archive !== undefined;
  const options: StartOptions = {
    memory,
    archive,
    publicRead: call.flag("public"),
    environment,
    address: () => url,
    adjust: (settings) => withMaxLimit(isV4 ? withV4Format(settings) : settings, maxLimit),
  };
  await using served = await (call.flag("watch") ? followFiles : serveOnce)(root, options);
  const { project, app } = served;
  const key = buildKey(project.secrets);
  const { endpoint, defaultLimit, maxLimit: graphqlMaxLimit } = project.settings.graphql;
  const recorder = new RequestRecorder({ endpoint, limits: [defaultLimit, graphqlMaxLimit] });
  const handle = recorded(app, recorder, CacheTags.create(project.settings.galley), isV4);
  // a database in memory is another one each time
  const builds = memory ? undefined : new Builds(dataFolder(root));
  const since = builds?.find(site)?.token;
  const server = listenFor(
    { ...app, handle: (request) => handle(sinceLastBuild(request, since)) },
    port,
    usualPort(site),
  );
  url = `http://localhost:${server.port}`;
  const token = builds && (await currentToken(app, key));
  let exitCode: number | undefined;
  try {
    exitCode = await execute(
      call.rest,
      {
        ...environment,
        ...frontEndEnvironment(url, key, environment),
        GALLEY_SINCE: builds && LAST_BUILD,
        ...namedEnvironment(pairs, url, key),
      },
      cwd,
    );
    return exitCode;
  } finally {
    await server.stop();
    console.error(`galley: ${recorder.summary()}`);
    for (const line of recorder.warnings()) console.error(`galley: ${line}`);
    if (exitCode === 0 && recorder.requests().length === 0)
      console.error(
        "galley: a task runner, such as Turborepo or Nx, may have hidden STRAPI_URL or repeated a cached result (galley help sites)",
      );
    if (recordFile !== undefined) await Bun.write(recordFile, `${JSON.stringify(recorder.requests(), null, 2)}\n`);
    if (exitCode === 0 && token !== undefined)
      builds?.save(site, { token, finishedAt: new Date().toISOString(), record: recordFile });
  }
}

export const run: Command = {
  name: "run",
  summary: "Start a server while a command runs, such as a site's build",
  usage: "[project | archive] -- <command>",
  takesRest: true,
  options: {
    port: {
      type: "string",
      value: "port",
      summary: "A port that the site expects; by default a free one, the same each time",
    },
    env: {
      type: "string",
      multiple: true,
      value: "NAME=VALUE",
      summary: "A variable for the command, with {url} and {token}; may be repeated",
    },
    record: { type: "string", value: "file", summary: "Write which requests were made, how often and how long" },
    "max-limit": { type: "string", value: "number", summary: "Entries that a page may have; -1: as many as asked for" },
    v4: { type: "boolean", summary: "Answer in the format of Strapi 4, for front ends that read data.attributes" },
    memory: { type: "boolean", summary: "Keep the database in memory and write nothing" },
    watch: { type: "boolean", summary: "Follow changed files of the project, for a development server" },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    public: { type: "boolean", summary: "Let everybody read every content-type" },
  },
  run: runRun,
};

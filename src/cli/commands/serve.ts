/** `galley serve`: a project on a port, until it is stopped. */
import { resolve } from "node:path";
import { ProjectError } from "../../errors.ts";
import { type Listening, listen } from "../../server/listen.ts";
import { type RunningProject, runProject } from "../../server/running.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { checkFolder } from "../project-folder.ts";
import { addressOf, welcome } from "../welcome.ts";

const DEFAULT_PORT = 1337;

function portOf(text: string | undefined, source: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`${source} must be a port number, not "${text}"`);
  return port;
}

async function start(
  running: RunningProject,
  port: number,
  host: string,
  log: Parameters<typeof listen>[1]["log"],
): Promise<Listening> {
  try {
    return listen(running, { port, host, ...(log ? { log } : {}) });
  } catch (error) {
    await running.close();
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") throw new UsageError(`port ${port} is in use; --port chooses another one`);
    if (code === "EACCES")
      throw new UsageError(`port ${port} may not be used by this user; --port chooses another one`);
    throw error;
  }
}

const line = (method: string, path: string, status: number, ms: number): string =>
  `${method} ${path} ${status} ${ms.toFixed(1)} ms`;

async function runServe(call: CommandCall): Promise<undefined> {
  const { environment, print } = call;
  const root = resolve(call.arguments[0] ?? ".");
  checkFolder(root);
  const quiet = call.flag("quiet");
  const tell = (text: string): void => {
    if (!quiet) print(text);
  };
  let address = "";
  const running = await runProject(root, {
    memory: call.flag("memory"),
    publicRead: call.flag("public"),
    environment,
    watch: true,
    address: () => address,
    announce: tell,
    report: (text) => (text instanceof ProjectError ? console.error(`galley: ${text.message}`) : tell(text)),
  });
  const { settings } = running.project();
  // with the project's .env, from whatever folder it is served
  const { PORT, HOST } = settings.environment;
  const port = portOf(call.text("port"), "--port") ?? portOf(PORT, "PORT") ?? settings.server.port ?? DEFAULT_PORT;
  const host = call.text("host") ?? HOST ?? settings.server.host ?? "localhost";
  const server = await start(running, port, host, quiet ? undefined : (...answer) => print(line(...answer)));
  address = addressOf(host, server.port);
  for (const text of welcome(running, address)) tell(text);
  let stopping = false;
  const stop = async (): Promise<void> => {
    // a second signal does not wait for slow clients
    if (stopping) process.exit(130);
    stopping = true;
    await server.stop();
    await running.close();
    process.exit(0);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return undefined;
}

export const serve: Command = {
  name: "serve",
  summary: "Serve a project's content-types over REST and GraphQL",
  usage: "[project]",
  maxArguments: 1,
  options: {
    port: { type: "string", value: "number", summary: "Port to listen on (PORT; default 1337)" },
    host: { type: "string", value: "name", summary: "Host to listen on (HOST; default localhost, on IPv4 and IPv6)" },
    memory: { type: "boolean", summary: "Keep the database in memory and write nothing" },
    public: { type: "boolean", summary: "Let everybody read every content-type" },
    quiet: { type: "boolean", summary: "Print nothing but errors" },
  },
  run: runServe,
};

/** `galley mirror`: serves a copy of a running Strapi, for development and builds. */
import { join } from "node:path";
import { loadSettings } from "../../engine/config/settings.ts";
import { apiTypes } from "../../engine/schema/model.ts";
import type { LoadTask } from "../../server/published/load.ts";
import { type Command, type CommandCall, portOption, UsageError } from "../command.ts";
import { OWN_COMMAND } from "../own-command.ts";
import { withProgress } from "../progress.ts";
import { projectFolder } from "../project-folder.ts";
import { isLoopbackHost } from "../serve/hosts.ts";
import { choosePort } from "../serve/options.ts";
import { READER_COMMAND, type Server, serveInProcess } from "../serve/servers.ts";
import { stopOnSignals } from "../serve/stop-signals.ts";
import { parseRefresh } from "../serve/target.ts";
import { parseServer } from "./pull.ts";

const DEFAULT_REFRESH_MS = 60_000;

/**
 * The project that the server runs, if its folder is given, and the folder with the copies of all servers. Without a schema, it is as
 * the server shows it. Throws a ProjectError for files that cannot be served.
 */
async function readMirrored(root: string | undefined, environment: CommandCall["environment"]) {
  const { dataFolder, readSource } = await import("../../server/project/project-source.ts");
  if (root === undefined) {
    const { cacheFolder } = await import("../../server/project/table-cache.ts");
    const cache = cacheFolder(environment);
    if (cache === undefined)
      throw new UsageError(
        "there is no folder for caches: GALLEY_CACHE names one, or a project is given after the URL",
      );
    const folder = join(cache, "mirrors");
    return { folder, settings: loadSettings(folder, environment), schema: undefined };
  }
  const { ProjectReport } = await import("../../lib/errors.ts");
  const report = new ProjectReport();
  const source = readSource(root, environment, report);
  report.finish();
  return { folder: join(dataFolder(root), "mirrors"), ...source };
}

async function runMirrorCommand(call: CommandCall): Promise<undefined> {
  const { environment, print } = call;
  const { url, token } = parseServer(call, "mirror");
  const refreshMs = parseRefresh(call.text("refresh")) ?? DEFAULT_REFRESH_MS;
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { RestClient } = await import("../../transfer/remote/rest/client.ts");
  const { loadInChildProcess } = await import("../../server/published/load.ts");
  const { mirrorFolder } = await import("../../server/mirror/mirrored-project.ts");
  const { runMirror } = await import("../../server/mirror/mirror.ts");
  const { root } = remoteAddress(url);
  const [, projectArgument] = call.arguments;
  const mirrored = await readMirrored(
    projectArgument === undefined ? undefined : projectFolder(projectArgument),
    environment,
  );
  const { settings, schema } = mirrored;
  const folder = mirrorFolder(mirrored.folder, root);
  const host = call.text("host") ?? "localhost";
  const report = (line: string): void => console.error(`galley: ${line}`);
  let server: Server | undefined;
  const options = {
    folder,
    client: new RestClient(root, { prefix: settings.rest.prefix, token }),
    token,
    settings,
    schema,
    refreshMs,
    writes: call.flag("write"),
    resets: call.flag("reset"),
    isExposed: !isLoopbackHost(host),
    publicRead: false,
    environment,
    readerCommand: READER_COMMAND,
    address: () => server?.address ?? "",
    load: (task: LoadTask, signal: AbortSignal) =>
      loadInChildProcess(task, { command: [...OWN_COMMAND, "load-archive"], signal }),
    report,
  };
  const running = await withProgress(call, (progress) => runMirror({ ...options, progress }));
  try {
    server = serveInProcess(running, { call, port: choosePort(call, settings), host, follow: () => {} });
  } catch (error) {
    await running.close();
    throw error;
  }
  // whoever waits for the announcement may stop it then
  stopOnSignals(server, running);
  if (!call.flag("quiet")) {
    const count = apiTypes(running.project().model).length;
    print(`Galley mirrors ${root} at ${server.address}: ${count} content-types, in ${folder}`);
  }
  if (!isLoopbackHost(host)) print("other machines can connect, and read what the token may read");
  return undefined;
}

export const mirror: Command = {
  name: "mirror",
  summary: "Serve a copy of a running Strapi that is kept up to date, also while that does not answer",
  usage: "<url> [project]",
  options: {
    token: { type: "string", value: "token", summary: "API token of the Strapi (GALLEY_REMOTE_TOKEN)" },
    port: portOption,
    host: { type: "string", value: "name", summary: "Host to listen on (default localhost)" },
    refresh: { type: "string", value: "time", summary: "Age at which the Strapi is asked for changes (default 60s)" },
    write: { type: "boolean", summary: "Keep writes in a copy of their own, which is not refreshed" },
    reset: { type: "boolean", summary: "Read everything again, and forget what was written" },
    quiet: { type: "boolean", summary: "Print errors only" },
  },
  isServer: true,
  run: runMirrorCommand,
};

/** What the options of `galley serve` and the settings say together: port, host, processes, and whether there is an admin. */
import type { Settings } from "../config/settings.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { chooseHost } from "./welcome.ts";

const DEFAULT_PORT = 1337;
const MAX_WORKERS = 64;

/** An empty variable is none, as in other programs. */
function portOf(text: string | undefined, source: string): number | undefined {
  if (text === undefined || (text === "" && source === "PORT")) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`${source} must be a port number, not "${text}"`);
  return port;
}

/** Throws a UsageError for what is no number of workers, and for what several processes cannot do. */
export function workersOf(text: string, memory: boolean): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_WORKERS)
    throw new UsageError(`--workers must be a whole number from 1 to ${MAX_WORKERS}, not "${text}"`);
  if (count > 1 && memory)
    throw new UsageError("--workers needs a database on disk: processes cannot share the one of --memory");
  if (count > 1 && process.platform !== "linux")
    throw new UsageError("--workers works on Linux only: other systems do not share a port out among processes");
  return count;
}

/** With the project's `.env`. Throws a UsageError for what is no port. */
export function portFor(call: CommandCall, { environment, server }: Settings): number {
  return portOf(call.text("port"), "--port") ?? portOf(environment.PORT, "PORT") ?? server.port ?? DEFAULT_PORT;
}

export function hostOf(call: CommandCall, { environment, server }: Settings): ReturnType<typeof chooseHost> {
  const asked = call.text("host") ?? call.environment.HOST;
  return chooseHost(asked, environment.HOST ?? server.host, environment.NODE_ENV === "production");
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** On by default on this machine only; with `--admin` on public addresses and in production, too. */
export function servesAdmin(call: CommandCall, settings: Settings): boolean {
  if (call.flag("no-admin")) return false;
  if (call.flag("admin")) return true;
  return LOOPBACK.test(hostOf(call, settings).host) && settings.environment.NODE_ENV !== "production";
}

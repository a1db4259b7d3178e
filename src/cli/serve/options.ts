/** Combines options of `galley serve` with settings: port, host, number of processes, and whether to serve the admin. */
import type { Settings } from "../../engine/config/settings.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { chooseHost, isLoopbackHost } from "./hosts.ts";

const DEFAULT_PORT = 1337;
const MAX_WORKERS = 64;

/** An empty variable is none, as in other programs. Throws a UsageError for anything but a port number. */
export function parsePort(text: string | undefined, source: string): number | undefined {
  if (text === undefined || (text === "" && source === "PORT")) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`${source} must be a port number, not "${text}"`);
  return port;
}

/** Parses `--workers`. Throws a UsageError for an invalid number, and if several processes cannot be used. */
export function parseWorkers(text: string, memory: boolean): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_WORKERS)
    throw new UsageError(`--workers must be a whole number from 1 to ${MAX_WORKERS}, not "${text}"`);
  if (count > 1 && memory)
    throw new UsageError("--workers needs a database on disk: processes cannot share the one of --memory");
  if (count > 1 && process.platform !== "linux")
    throw new UsageError("--workers works on Linux only: other systems do not share a port out among processes");
  return count;
}

/** The port from the option, the environment (with the project's `.env`) or the configuration. Throws a UsageError. */
export function choosePort(call: CommandCall, { environment, server }: Settings): number {
  return parsePort(call.text("port"), "--port") ?? parsePort(environment.PORT, "PORT") ?? server.port ?? DEFAULT_PORT;
}

export function hostFor(call: CommandCall, { environment, server }: Settings): ReturnType<typeof chooseHost> {
  const requested = call.text("host") ?? call.environment.HOST;
  return chooseHost(requested, environment.HOST ?? server.host, environment.NODE_ENV === "production");
}

/** By default, the admin is served only on loopback hosts and outside production; `--admin` serves it everywhere. */
export function servesAdmin(call: CommandCall, settings: Settings): boolean {
  if (call.flag("no-admin")) return false;
  if (call.flag("admin")) return true;
  return isLoopbackHost(hostFor(call, settings).host) && settings.environment.NODE_ENV !== "production";
}

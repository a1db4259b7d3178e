/** Listens on a port of this machine for a command, and finds out which process has a port that is in use. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { findErrorCode } from "../../lib/error-code.ts";
import { printable } from "../../lib/printable.ts";
import { type Listening, listen } from "../../server/listen.ts";
import { UsageError } from "../command.ts";

/** Like `listen`, but throws a UsageError if the port or host cannot be used. */
export function listenOrExplain(app: Parameters<typeof listen>[0], options: Parameters<typeof listen>[1]): Listening {
  try {
    return listen(app, options);
  } catch (error) {
    const { port, host } = options;
    const code = findErrorCode(error);
    if (code === "EADDRINUSE") {
      const owner = portOwner(port);
      const ownerText = owner ? ` by ${printable(owner.name)} (process ${owner.pid})` : "";
      throw new UsageError(`port ${port} is in use${ownerText}; --port chooses another one, and --port 0 a free one`);
    }
    if (code === "EACCES")
      throw new UsageError(`port ${port} may not be used by this user; --port chooses another one`);
    // an invalid host name, or an address of another machine: error codes vary between systems
    throw new UsageError(`cannot listen on host "${host}" (${(error as Error).message}); --host chooses another one`);
  }
}

/** `st` of a listening socket in /proc/net/tcp. */
const LISTENING = "0A";

/** Returns `fallback` if `read` throws: files of a process may disappear or be unreadable. */
function readOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/** Inodes of the sockets that listen on a port. `table` is a file of /proc/net. */
export function listeningInodes(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return inode && state === LISTENING && local?.endsWith(`:${hex}`) ? [inode] : [];
  });
}

/** On Linux only, and only among processes of this user. */
export function portOwner(port: number, proc = "/proc"): { readonly pid: number; readonly name: string } | undefined {
  const tables = ["tcp", "tcp6"].map((name) => readOr(() => readFileSync(`${proc}/net/${name}`, "latin1"), ""));
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  for (const pid of readOr(() => readdirSync(proc), [])) {
    if (!/^\d+$/.test(pid)) continue;
    const files = readOr(() => readdirSync(`${proc}/${pid}/fd`), []);
    const isOwner = files.some((file) => sockets.has(readOr(() => readlinkSync(`${proc}/${pid}/fd/${file}`), "")));
    if (isOwner)
      return { pid: Number(pid), name: readOr(() => readFileSync(`${proc}/${pid}/comm`, "utf8").trim(), "") };
  }
  return undefined;
}

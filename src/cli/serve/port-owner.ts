/** Finds the process that listens on a port, on Linux only and only among processes of this user. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface PortOwner {
  readonly pid: number;
  readonly name: string;
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

export function portOwner(port: number, proc = "/proc"): PortOwner | undefined {
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

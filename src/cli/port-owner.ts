/** Finds the process that listens on a port: on Linux, and only among processes of this user. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface PortOwner {
  readonly pid: number;
  readonly name: string;
}

/** `st` of a listening socket in /proc/net/tcp. */
const LISTENING = "0A";

/** Undefined for files that are gone, or that this user may not read. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
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
  const tables = ["tcp", "tcp6"].map((name) => attempt(() => readFileSync(`${proc}/net/${name}`, "latin1"), ""));
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  for (const pid of attempt(() => readdirSync(proc), [])) {
    if (!/^\d+$/.test(pid)) continue;
    const files = attempt(() => readdirSync(`${proc}/${pid}/fd`), []);
    const isOwner = files.some((file) => sockets.has(attempt(() => readlinkSync(`${proc}/${pid}/fd/${file}`), "")));
    if (isOwner)
      return { pid: Number(pid), name: attempt(() => readFileSync(`${proc}/${pid}/comm`, "utf8").trim(), "") };
  }
  return undefined;
}

/** Finds a file system in memory for the temporary folders of tests, where Linux has one. */
import { existsSync, readFileSync, statfsSync } from "node:fs";

const PATH = "/dev/shm";
/** In bytes; several times what the tests store at once. */
const NEEDED = 2e9;

/** Undefined without one, if it is small or refuses to execute files, as in most containers, or if the machine has little memory. */
export function memoryDisk(): string | undefined {
  if (process.platform !== "linux" || !existsSync(PATH)) return undefined;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, path]) => path === PATH);
  const isExecutable = mount?.[2] === "tmpfs" && !mount[3]?.split(",").includes("noexec");
  const { bavail, bsize } = statfsSync(PATH);
  const free = Math.min(bavail * bsize, process.availableMemory() / 2);
  return isExecutable && free >= NEEDED ? PATH : undefined;
}

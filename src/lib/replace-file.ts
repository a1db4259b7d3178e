import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Replaces a file: others read the old content or the new one, also after a crash. `fill` writes another file, in the same folder. */
export function replaceFile(file: string, fill: (unfinished: string) => void): void {
  const unfinished = join(dirname(file), `.${crypto.randomUUID()}.part`);
  try {
    fill(unfinished);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

import { existsSync } from "node:fs";
import { UsageError } from "./command.ts";

/** A folder without content-types is no project yet. Throws a UsageError. */
export function checkFolder(root: string): void {
  if (!existsSync(root)) throw new UsageError(`there is no folder ${root}`);
  if (!existsSync(`${root}/src/api`)) {
    throw new UsageError(
      `${root} has no content-types (src/api); galley init ${root} writes a small magazine to start from`,
    );
  }
}

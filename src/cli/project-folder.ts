import { existsSync } from "node:fs";
import { UsageError } from "./command.ts";

/** Throws a UsageError for a folder that is missing or has no content-types. */
export function checkProjectFolder(root: string): void {
  if (!existsSync(root)) throw new UsageError(`there is no folder ${root}`);
  if (!existsSync(`${root}/src/api`)) {
    throw new UsageError(
      `${root} has no content-types (src/api); galley init ${root} writes a small magazine to start from`,
    );
  }
}

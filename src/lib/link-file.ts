/** A second name for the bytes of a file that is replaced, and never modified. */
import { copyFileSync, linkSync } from "node:fs";

/** Creates a hard link, or a copy on another file system, or on one without links. */
export function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

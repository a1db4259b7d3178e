/** Warns of names that only some file systems have, so that a checkout elsewhere would lose files. */
import { isDeviceName, sameFile } from "../../lib/file-names.ts";
import type { FileProblem } from "./problems.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: Windows has no such names
const NOT_ON_WINDOWS = /[<>:"\\|?*\x00-\x1f]|[. ]$/;

export function warnOfNames(paths: Iterable<string>): FileProblem[] {
  const warnings: FileProblem[] = [];
  const seen = new Map<string, string>();
  for (const file of paths) {
    const key = sameFile(file, "darwin");
    const other = seen.get(key);
    if (other !== undefined)
      warnings.push({
        file,
        reason: `differs from ${other} only in capitals, or in how letters are composed: elsewhere these are one file`,
      });
    seen.set(key, file);
    if (file.split("/").some((name) => isDeviceName(name) || NOT_ON_WINDOWS.test(name)))
      warnings.push({ file, reason: "has a name that files cannot have on Windows" });
  }
  return warnings;
}

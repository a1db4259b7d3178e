/** Asks for confirmation before data is replaced. */
import { type CommandCall, UsageError } from "./command.ts";

/** Throws a UsageError without a terminal, and with `--json`, whose output a question would not be. */
export function confirmed(question: string, { flag }: CommandCall): boolean {
  if (flag("yes")) return true;
  if (!process.stdin.isTTY || flag("json")) throw new UsageError(`${question} --yes does it without asking`);
  return confirm(question);
}

/** Returns the exit code. */
export function leaveUnchanged({ print }: CommandCall): number {
  print("nothing was changed");
  return 1;
}

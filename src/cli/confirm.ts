/** Asks before something is lost. */
import { UsageError } from "./command.ts";

/** Throws a UsageError without a terminal. */
export function confirmed(question: string, isYes: boolean): boolean {
  if (isYes) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} --yes does it without asking`);
  return confirm(question);
}

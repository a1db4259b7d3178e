/** Asks for confirmation before data is replaced. */
import { UsageError } from "./command.ts";

/** Throws a UsageError without a terminal. */
export function confirmed(question: string, skipsQuestion: boolean): boolean {
  if (skipsQuestion) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} --yes does it without asking`);
  return confirm(question);
}

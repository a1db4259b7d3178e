/** Problems of code that starts: reported, so that the rest is served, or thrown. */
import { AbsentError } from "./absent-module.ts";
import type { CodeProblem } from "./load.ts";
import { startingCode } from "./started-code.ts";

/** With the message of its cause, if that says more. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** `skipsFailures`: report all errors; otherwise only those about missing packages are reported, and others are thrown. */
export function createStartProblems(ofLoading: readonly CodeProblem[], skipsFailures: boolean) {
  const list = [...ofLoading];

  /**
   * Resolves with the result; undefined after an error that is reported. Others get the file. `outcome`: what the error means for the
   * file. `name`: of what is started.
   */
  async function attempt(file: string, work: () => unknown, outcome = "ended early", name = file): Promise<unknown> {
    try {
      return await startingCode(name, work);
    } catch (error) {
      const message = describe(error);
      if (!skipsFailures && !(error instanceof AbsentError)) throw new Error(`${file}: ${message}`, { cause: error });
      list.push({ file, message: `${outcome}: ${message}` });
      return undefined;
    }
  }

  return { attempt, list };
}

export type StartProblems = ReturnType<typeof createStartProblems>;

/** Parses JSON for code, which shows the messages to clients. */
import { jsonProblem } from "../../lib/json-syntax.ts";

/** `JSON.parse` with Node's messages, which need the text. */
export function parseJson(...args: Parameters<typeof JSON.parse>): unknown {
  try {
    return JSON.parse(...args);
  } catch (error) {
    const message = error instanceof SyntaxError ? jsonProblem(String(args[0])) : undefined;
    if (message !== undefined) (error as Error).message = message;
    throw error;
  }
}

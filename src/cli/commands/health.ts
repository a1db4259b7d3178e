/** `galley health`: whether a server answers, for health checks of containers that have no other program. */
import { type Command, type CommandCall, UsageError } from "../command.ts";

const TIMEOUT_MS = 5_000;

function urlOf({ arguments: [address], environment }: CommandCall): URL {
  const url = URL.parse("/_health", address ?? `http://localhost:${environment.PORT || 1337}`);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError(`"${address ?? environment.PORT}" is no address of a server; http://localhost:1337 is one`);
  return url;
}

function reasonOf(error: Error & { code?: string }): string {
  if (error.code === "ECONNREFUSED" || error.code === "ConnectionRefused") return "nothing listens there";
  return error.name === "TimeoutError" ? `it took longer than ${TIMEOUT_MS / 1000} s` : error.message;
}

async function runHealth(call: CommandCall): Promise<number> {
  const url = urlOf(call);
  try {
    const { status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status === 204) return 0;
    throw new UsageError(`${url.href} answers ${status}, not 204`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${url.href} does not answer: ${reasonOf(error as Error)}`);
  }
}

export const health: Command = {
  name: "health",
  summary: "End with 0 when a server answers, with 1 when it does not",
  usage: "[url]",
  maxArguments: 1,
  options: {},
  run: runHealth,
};

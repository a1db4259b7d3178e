/** `galley health`: checks that a server responds, for health checks of containers without curl. */
import { type Command, type CommandCall, UsageError } from "../command.ts";

const TIMEOUT_MS = 5_000;

function healthUrl({ arguments: [address], environment }: CommandCall): URL {
  const url = URL.parse("/_health", address ?? `http://localhost:${environment.PORT || 1337}`);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError(`"${address ?? environment.PORT}" is not the URL of a server, such as http://localhost:1337`);
  return url;
}

function describeError(error: Error & { code?: string }): string {
  if (error.code === "ECONNREFUSED" || error.code === "ConnectionRefused") return "nothing listens there";
  return error.name === "TimeoutError" ? `it took longer than ${TIMEOUT_MS / 1000} s` : error.message;
}

async function runHealth(call: CommandCall): Promise<number> {
  const url = healthUrl(call);
  try {
    const { status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status === 204) return 0;
    throw new UsageError(`${url.href} responds with ${status}, not 204`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${url.href} does not respond: ${describeError(error as Error)}`);
  }
}

export const health: Command = {
  name: "health",
  summary: "Check that a server responds; exits with 0 or 1",
  usage: "[url]",
  run: runHealth,
};

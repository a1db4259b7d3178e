/** `fetch` for code, which rejects with Node's errors: code sends their messages to clients, and reads their causes. */
import { parseJson } from "./parse-json.ts";

/** An error of the runtime's `fetch`. `path` is the URL. */
interface FetchError extends Error {
  readonly code: string;
  readonly path?: string;
  readonly syscall?: string;
  readonly hostname?: string;
}

const abortMessages: Readonly<Record<string, string>> = {
  "The operation was aborted.": "This operation was aborted",
  "The operation timed out.": "The operation was aborted due to timeout",
};

const GET_BODY = /^fetch\(\) request with (GET\/HEAD) method cannot have body/;
const NO_URL: ReadonlySet<string> = new Set(["ERR_INVALID_URL", "ERR_MISSING_ARGS"]);

const withProperties = (error: Error, properties: object): Error => Object.assign(error, properties);

function parseUrl(error: FetchError): URL | undefined {
  return error.path !== undefined && URL.canParse(error.path) ? new URL(error.path) : undefined;
}

/** Node's error for a failed connection. */
function createCause(error: FetchError): Error {
  const { constants } = require("node:os") as typeof import("node:os");
  const { code, message, syscall, hostname } = error;
  const errors: Readonly<Record<string, number | undefined>> = constants.errno;
  const errno = -(errors[code] ?? 3008);
  if (syscall === "getaddrinfo") return withProperties(new Error(message), { errno, code, syscall, hostname });
  if (code === "ECONNRESET")
    return withProperties(new Error("other side closed"), { name: "SocketError", code: "UND_ERR_SOCKET" });
  const url = parseUrl(error);
  if (code !== "ECONNREFUSED" || !url) return withProperties(new Error(message), { code });
  const address = url.hostname === "localhost" ? "127.0.0.1" : url.hostname;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const refused = new Error(`connect ECONNREFUSED ${address}:${port}`);
  return withProperties(refused, { errno, code, syscall: "connect", address, port });
}

/** Node's error for one of the runtime's `fetch`; other values are returned unchanged. */
function nodeFetchError(thrown: unknown, input: unknown): unknown {
  if (thrown instanceof DOMException) {
    const message = abortMessages[thrown.message];
    return message === undefined ? thrown : new DOMException(message, thrown.name);
  }
  if (!(thrown instanceof Error) || typeof (thrown as Partial<FetchError>).code !== "string") return thrown;
  const error = thrown as FetchError;
  if (GET_BODY.test(error.message)) return new TypeError(error.message.replace(/^fetch\(\) r/, "R"));
  if (NO_URL.has(error.code)) {
    const text = String(input instanceof Request ? input.url : input);
    const cause = withProperties(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text });
    return new TypeError(`Failed to parse URL from ${text}`, { cause });
  }
  return new TypeError("fetch failed", { cause: createCause(error) });
}

/** A response whose `json` rejects with Node's errors, which describe the text. */
function withNodeJson(response: Response): Response {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    json: { value: async () => parseJson(await response.text()), configurable: true, writable: true },
    clone: { value: () => withNodeJson(clone() as Response), configurable: true, writable: true },
  });
}

/** Appends the frames of the code that has called. */
function withFrames(error: unknown, call: Error): unknown {
  const [, , ...frames] = call.stack?.split("\n") ?? [];
  if (error instanceof Error && frames.length > 0) error.stack = [error.stack, ...frames].join("\n");
  return error;
}

export const nodeFetch: typeof fetch = Object.assign(
  async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    // the runtime's error does not name the code that has called
    const call = new Error();
    try {
      return withNodeJson(await fetch(input, init));
    } catch (error) {
      throw withFrames(nodeFetchError(error, input), call);
    }
  },
  { preconnect: fetch.preconnect },
);

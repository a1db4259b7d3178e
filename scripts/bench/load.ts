/** Sends requests to a server, and measures the processor time that it takes for them. */
import { readFileSync } from "node:fs";
import { processorTimeSince, processTree, threadTimes } from "./processor-time.ts";
import { TOKEN } from "./project.ts";
import { type Message, sendInTurn } from "./send.ts";

/** Stands in lines for a number that never comes again. */
const NUMBER = "{{n}}";
/** All have as many digits, so that the length of a body is known. */
const FIRST_NUMBER = 1_000_000_000;
let lastNumber = FIRST_NUMBER;
export const nextNumber = (): number => ++lastNumber;

/** A request as it is sent: method, path, body and content type of a line of a workload. A body `@FILE` is that of a file. */
export interface Line {
  readonly method: string;
  readonly path: string;
  readonly body: string | Buffer;
  readonly type: string;
}

/** Tabs are between the parts of a line. */
export function readLine(line: string): Line {
  const [method = "GET", path = "/", body = "", type = "application/json"] = line.split("\t");
  return { method, path, body: body.startsWith("@") ? readFileSync(body.slice(1)) : body, type };
}

export const fillNumbers = (text: string, number: number): string => text.replaceAll(NUMBER, String(number));

/** Makes a request of a line, with a number of its own each time. */
function messageMaker(line: string): () => Message {
  const { method, path, body, type } = readLine(line);
  // ten digits
  const length = typeof body === "string" ? Buffer.byteLength(fillNumbers(body, FIRST_NUMBER)) : body.length;
  const content = length > 0 ? `Content-Type: ${type}\r\nContent-Length: ${length}\r\n` : "";
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n${content}\r\n`;
  if (typeof body !== "string") {
    const message = Buffer.concat([Buffer.from(head), body]);
    return () => message;
  }
  const text = head + body;
  return text.includes(NUMBER) ? () => fillNumbers(text, nextNumber()) : () => text;
}

export interface Load {
  readonly connections: number;
  /** Ends after this many requests, or when the server has used this much processor time; one of both. */
  readonly requests?: number;
  readonly seconds?: number;
  /** The line that comes first. */
  readonly first?: number;
}

const LOOK_MS = 25;

/** Sends the lines in turn. Resolves with the microseconds of the server's processor time for each, and their number. */
export async function load(
  server: { readonly url: string; readonly pid: number },
  lines: readonly string[],
  { connections, requests = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY, first = 0 }: Load,
): Promise<{ readonly microseconds: number; readonly requests: number }> {
  const makers: (() => Message)[] = [];
  let sent = 0;
  let isOver = false;
  const next = (): Message | undefined => {
    if (isOver || sent >= requests) return undefined;
    const index = (first + sent++) % lines.length;
    makers[index] ??= messageMaker(lines[index]!);
    return makers[index]();
  };
  const pids = processTree(server.pid);
  const before = threadTimes(pids);
  const look = setInterval(() => {
    isOver = processorTimeSince(before, pids) > seconds * 1_000_000;
  }, LOOK_MS);
  try {
    await Promise.all(Array.from({ length: connections }, () => sendInTurn(server.url, next)));
  } finally {
    clearInterval(look);
  }
  return { microseconds: processorTimeSince(before, processTree(server.pid)) / sent, requests: sent };
}

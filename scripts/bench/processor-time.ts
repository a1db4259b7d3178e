/** The processor time of a server for each request, on connections that are kept open. */
import { readdirSync, readFileSync } from "node:fs";
import { TOKEN } from "./data.ts";

const HEAD_END = Buffer.from("\r\n\r\n");

/** The processor time of each thread of a process, in nanoseconds. Linux only. */
function threadTimes(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).flatMap((thread) => {
      try {
        return [[thread, Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0])]];
      } catch (error) {
        // it ended after the folder was listed
        if (["ENOENT", "ESRCH"].includes((error as { code?: string }).code ?? "")) return [];
        throw error;
      }
    }),
  );
}

/** The processor time since `before`, in microseconds, without that of threads that have ended since. */
function processorTimeSince(before: ReadonlyMap<string, number>, pid: number): number {
  let nanoseconds = 0;
  for (const [thread, time] of threadTimes(pid)) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1_000;
}

/** The length of a response with this beginning; undefined if its head is not complete. Throws for anything but a 200 of known length. */
function parseLength(received: Buffer): number | undefined {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const size = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200 ") || size === undefined) throw new Error(`unexpected response:\n${head}`);
  return end + HEAD_END.length + Number(size);
}

/** Sends requests on one connection, each after the last response, until `next` has no more paths. */
function sendInTurn({ hostname, port }: URL, next: () => string | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let head: Buffer = Buffer.alloc(0);
  /** Bytes of the response that are still to come; undefined while its head is read. */
  let missing: number | undefined;
  const send = (socket: Bun.Socket<undefined>): void => {
    const path = next();
    if (path === undefined) {
      resolve();
      socket.end();
      return;
    }
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  };
  const read = (socket: Bun.Socket<undefined>, chunk: Buffer): void => {
    let size = chunk.length;
    if (missing === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      missing = parseLength(head);
      if (missing === undefined) {
        head = Buffer.from(head);
        return;
      }
      size = head.length;
      head = Buffer.alloc(0);
    }
    missing -= size;
    if (missing > 0) return;
    missing = undefined;
    send(socket);
  };
  void Bun.connect<undefined>({
    hostname,
    port: Number(port),
    data: undefined,
    socket: {
      open: send,
      data: (socket, chunk) => {
        try {
          read(socket, chunk);
        } catch (error) {
          reject(error);
          socket.end();
        }
      },
      close: () => reject(new Error("the server closed the connection")),
      error: (_socket, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

export interface Requests {
  readonly count: number;
  readonly connections: number;
  /** The path of a request; `n`: its number, from 0. */
  readonly path: (n: number) => string;
}

/** Microseconds of a server's processor time for each request. Throws for responses other than 200. */
export async function timePerRequest(
  server: { readonly url: string; readonly pid: number },
  { count, connections, path }: Requests,
): Promise<number> {
  let sent = 0;
  const next = (): string | undefined => (sent < count ? path(sent++) : undefined);
  const before = threadTimes(server.pid);
  await Promise.all(Array.from({ length: connections }, () => sendInTurn(new URL(server.url), next)));
  return processorTimeSince(before, server.pid) / count;
}

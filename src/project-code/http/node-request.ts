/** Node's request (`ctx.req`): a stream of the body, unless the server has read it. */
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

export interface RequestHead {
  readonly original: Request;
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly header: Record<string, string>;
}

/** A stream in place of the connection, whose settings are the server's: those of code are accepted, and have no effect. */
class ConnectionStream extends Duplex {
  constructor(readonly remoteAddress: string) {
    super({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  }

  /** Code that sends events switches the limit off. The server has its own, which each write begins anew. */
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

const socketOf = (remoteAddress: string): Socket => new ConnectionStream(remoteAddress) as unknown as Socket;

export function createNodeRequest({ original, ip, method, url, header }: RequestHead): IncomingMessage {
  const req = new IncomingMessage(socketOf(ip));
  const rawHeaders = [...original.headers].flat();
  const fields = { method, url, headers: header, rawHeaders, complete: original.body === null };
  Object.assign(req, { ...fields, httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 });
  // an error without a listener would end the process
  req.on("error", () => undefined);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const end = (): void => {
    req.complete = true;
    req.push(null);
  };
  let isReading = false;
  let isWanted = false;
  const readWanted = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    isReading = true;
    reader ??= body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    while (isWanted) {
      isWanted = false;
      const { done, value } = await reader.read();
      if (done) return end();
      // a message does not ask for more by itself
      if (req.push(value)) isWanted = true;
    }
    isReading = false;
  };
  req._read = () => {
    if (original.body === null || (!reader && original.bodyUsed)) return end();
    isWanted = true;
    if (!isReading) readWanted(original.body).catch((error: Error) => req.destroy(error));
  };
  // emits `aborted`, too
  original.signal.addEventListener("abort", () => req.destroy(), { once: true });
  return req;
}

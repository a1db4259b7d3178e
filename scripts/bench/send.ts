/** A client that sends requests one after the other on connections that stay open, and looks at no more than the status. */

const HEAD_END = Buffer.from("\r\n\r\n");

/** The length of a response with this beginning; undefined if its head is not complete. Throws for anything but a success of known length. */
function parseLength(received: Buffer): number | undefined {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const size = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (!/^HTTP\/1\.1 20[01] /.test(head) || size === undefined)
    throw new Error(`unexpected response:\n${received.toString("latin1", 0, 1_000)}`);
  return end + HEAD_END.length + Number(size);
}

/** The bytes of a request. */
export type Message = string | Uint8Array;

/** Sends requests on one connection, each after the last response, until `next` has no more. Rejects for other responses than successes. */
export function sendInTurn(url: string, next: () => Message | undefined): Promise<void> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let head: Buffer = Buffer.alloc(0);
  /** Bytes of the response that are still to come; undefined while its head is read. */
  let missing: number | undefined;
  /** What the socket did not take yet. */
  let unsent: Uint8Array | undefined;
  const write = (socket: Bun.Socket<undefined>, bytes: Uint8Array): void => {
    const written = socket.write(bytes);
    unsent = written < bytes.length ? bytes.subarray(Math.max(0, written)) : undefined;
  };
  const send = (socket: Bun.Socket<undefined>): void => {
    const message = next();
    if (message !== undefined) {
      write(socket, typeof message === "string" ? Buffer.from(message) : message);
      return;
    }
    resolve();
    socket.end();
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
      drain: (socket) => {
        if (unsent) write(socket, unsent);
      },
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

/**
 * The WebSocket protocol of `strapi transfer`: JSON messages, each with an id that its response repeats. In a pull, the server
 * sends frames with ids of its own, and waits for the acknowledgement of each.
 */
import { tryParseJson } from "../../lib/coerce.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { RemoteAddress } from "./address.ts";

/** Strapi recomputes the size of a batch of links for each row, so that minutes may pass without a frame. */
const IDLE_LIMIT_MS = 30 * 60_000;
/** For a connection. A server that is started may need some time for it. */
const CONNECT_LIMIT_MS = 20_000;
/** Received frames that have not been read. Normally one, since the server waits for acknowledgements. */
const MAX_PENDING_FRAMES = 64;
/** Length of a message in characters. Strapi sends batches of a megabyte, but all schemas in one message. */
const MAX_MESSAGE = 256_000_000;

/** A message that the server sends on its own. */
export interface Frame {
  readonly uuid: string;
  readonly data: unknown;
}

interface PendingResponse {
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class TransferChannel {
  readonly #socket: WebSocket;
  readonly #name: string;
  readonly #requests = new Map<string, PendingResponse>();
  readonly #frames: Frame[] = [];
  #pendingFrame: PendingResponse | undefined;
  #failure: ProjectError | undefined;
  readonly #idle = setTimeout(() => this.#fail("has sent nothing for half an hour"), IDLE_LIMIT_MS);

  private constructor(socket: WebSocket, name: string) {
    this.#socket = socket;
    this.#name = name;
    socket.addEventListener("message", ({ data }) => this.#receive(String(data)));
    socket.addEventListener("close", () => this.#fail("closed the connection before the transfer was complete"));
    socket.addEventListener("error", () => this.#fail("the connection broke off"));
  }

  /** Rejects with a ProjectError that says why the connection failed. */
  static async open(
    address: RemoteAddress,
    direction: "pull" | "push",
    token: string,
    limitMs = CONNECT_LIMIT_MS,
  ): Promise<TransferChannel> {
    const headers = { Authorization: `Bearer ${token}` };
    const socket = new WebSocket(address.runner(direction), { headers } as unknown as string[]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("no connection")));
    socket.addEventListener("close", () => reject(new Error("no connection")));
    const limit = setTimeout(() => reject(new Error("no response")), limitMs);
    try {
      await promise;
    } catch {
      socket.terminate();
      throw new ProjectError(address.root, undefined, await failureReason(address, direction, headers, limitMs));
    } finally {
      clearTimeout(limit);
    }
    return new TransferChannel(socket, address.root);
  }

  #fail(reason: string): void {
    this.#failure ??= new ProjectError(this.#name, undefined, reason);
    clearTimeout(this.#idle);
    for (const { reject } of this.#requests.values()) reject(this.#failure);
    this.#requests.clear();
    this.#pendingFrame?.reject(this.#failure);
    this.#pendingFrame = undefined;
    this.#socket.close();
  }

  #receive(text: string): void {
    this.#idle.refresh();
    if (text.length > MAX_MESSAGE) return this.#fail(`sent a message of more than ${MAX_MESSAGE} characters`);
    const message = tryParseJson(text);
    if (message === undefined) return this.#fail("sent something that is not a message of a transfer");
    // diagnostics may come at any time, and need no response
    if (!isRecord(message) || "diagnostic" in message || typeof message.uuid !== "string") return;
    const pending = this.#requests.get(message.uuid);
    if (!pending) return this.#push({ uuid: message.uuid, data: message.data });
    this.#requests.delete(message.uuid);
    if (isRecord(message.error))
      pending.reject(new ProjectError(this.#name, undefined, String(message.error.message ?? "refused").slice(0, 500)));
    else pending.resolve(message.data);
  }

  #push(frame: Frame): void {
    if (this.#pendingFrame) {
      this.#pendingFrame.resolve(frame);
      this.#pendingFrame = undefined;
    } else if (this.#frames.push(frame) > MAX_PENDING_FRAMES) this.#fail("sends faster than it is answered");
  }

  /** Sends a message. Resolves with the data of the response, or rejects with a ProjectError with the server's message. */
  request(message: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    const uuid = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#requests.set(uuid, { resolve, reject });
    this.#socket.send(JSON.stringify({ ...message, uuid }));
    return promise;
  }

  /** Resolves with the next frame. */
  frame(): Promise<Frame> {
    const first = this.#frames.shift();
    if (first) return Promise.resolve(first);
    if (this.#failure) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pendingFrame = { resolve, reject };
    return promise as Promise<Frame>;
  }

  /** Acknowledges a frame, so that the server sends the next one. */
  acknowledge({ uuid }: Frame): void {
    this.#socket.send(JSON.stringify({ uuid }));
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#failure ??= new ProjectError(this.#name, undefined, "the connection is closed");
    this.#socket.close();
  }
}

/** What each kind of token is for. */
const refusedTokens = {
  pull:
    "does not accept the token. A transfer token with the right to pull copies everything, also schemas, users, roles and settings; " +
    "an API token copies the documents and media that it may find, without --schemas, into a project that has their types",
  push: "does not accept the token. A transfer token with the right to push is needed: an API token cannot replace content",
};

const failureReasons: Readonly<Record<number, string>> = {
  404: "offers no transfer: it is not a Strapi server, or its transfers are switched off",
  501: "offers no transfer: TRANSFER_TOKEN_SALT is not set there",
};

/** Finds out why a connection failed, by a plain request: a refused WebSocket has no status. */
async function failureReason(
  address: RemoteAddress,
  direction: "pull" | "push",
  headers: Record<string, string>,
  limitMs: number,
) {
  try {
    const { status } = await fetch(address.runner(direction).replace(/^ws/, "http"), {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(limitMs),
    });
    if (status === 401 || status === 403) return refusedTokens[direction];
    const reason = failureReasons[status] ?? `answers ${status} where transfers begin`;
    return address.root.endsWith("/api") ? `${reason}. Its URL may end before /api` : reason;
  } catch {
    return "cannot be reached";
  }
}

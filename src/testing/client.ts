/**
 * `galley-cms/test` on Node.js: the same functions as `index.ts`, for a project that the executable serves in a child process. The
 * child exits with this process, and does not keep it alive.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createCaller } from "../caller.ts";
import { callSite, SITE_HEADER } from "../lib/call-site.ts";
import { childEnvironment } from "../lib/child-environment.ts";
import { ApiError, ProjectError } from "../lib/errors.ts";
import type { DocumentChange, DocumentService, Galley, GalleyOptions, Snapshot, TestKit } from "../public-types.ts";
import { type Branch, documentMethods, type Failure, kitFunctions, type ToServer, type ToTest } from "./messages.ts";

const CLOSE_MS = 5_000;

/** The executable of `GALLEY_EXECUTABLE`, or of this platform's package. Throws an Error that says what to do. */
function executable(): string {
  const { GALLEY_EXECUTABLE } = process.env;
  if (GALLEY_EXECUTABLE) return GALLEY_EXECUTABLE;
  // of the package that this file is bundled for
  const { installedExecutable } = require("../bin/executable.cjs") as { installedExecutable: () => string };
  return installedExecutable();
}

function createError(failure: Failure): Error {
  if (failure.kind === "project") return new ProjectError(failure.problems);
  if (failure.kind === "type") return new TypeError(failure.message);
  if (failure.kind === "other") return new Error(failure.message);
  const { error, message, details, name, status } = failure;
  return new ApiError(error, message, details, { name, status }).withStatus();
}

/** Errors are created when a message arrives, where no function of a test is on the stack. */
function withStackOf(trace: Error, error: Error): Error {
  error.stack = `${error}${trace.stack?.slice(`${trace}`.length) ?? ""}`;
  return error;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The child process. It keeps this process alive only while calls are pending. */
class Server {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  /** Why the child has exited. */
  #failure: Error | undefined;
  #lastId = 0;

  constructor(file: string) {
    this.#child = spawn(file, ["test-server"], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: childEnvironment(process.env),
    });
    // parsed here, since Jest and Vitest's virtual machines have an `Object` of their own, which toStrictEqual compares
    this.#child.on("message", (message) => this.#handleMessage(JSON.parse(message as string)));
    this.#ended = new Promise((resolve) => {
      const fail = (reason: string): void => {
        this.#failure = new Error(reason);
        for (const id of this.#pending.keys()) this.#remove(id)?.reject(this.#failure);
        resolve();
      };
      this.#child.on("error", (error) => fail(`${file} cannot be run: ${error.message}`));
      this.#child.on("exit", (code, signal) => fail(`the server of the test has ended (${signal ?? code})`));
    });
    this.#keepAlive(false);
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  /** `branch`: as in `ToServer`. */
  async call(branch: number, name: ToServer["name"], ...args: readonly unknown[]): Promise<unknown> {
    if (this.#failure) throw this.#failure;
    const message: ToServer = { id: ++this.#lastId, branch, name, args };
    const trace = new Error();
    return new Promise((resolve, reject) => {
      this.#pending.set(message.id, { resolve, reject: (error) => reject(withStackOf(trace, error)) });
      this.#keepAlive(true);
      this.#child.send(message, (error) => {
        if (error) this.#remove(message.id)?.reject(error);
      });
    });
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    this.#keepAlive(true);
    const timeout = setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_MS);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    clearTimeout(timeout);
  }

  #handleMessage({ id, value, failure }: ToTest): void {
    const pending = this.#remove(id);
    if (failure) pending?.reject(createError(failure));
    else pending?.resolve(value);
  }

  #remove(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#keepAlive(false);
    return pending;
  }

  #keepAlive(isNeeded: boolean): void {
    this.#child[isNeeded ? "ref" : "unref"]();
    this.#child.channel?.[isNeeded ? "ref" : "unref"]();
  }
}

/** Like `createGalley` of `index.ts`, but `database()` throws, since the database is in another process. */
export async function createGalley(options: GalleyOptions): Promise<Galley> {
  const server = new Server(executable());
  try {
    const url = (await server.call(0, "start", options)) as string;
    return toGalley(server, { branch: 0, url });
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The project that was started, or a branch of it. */
function toGalley(server: Server, { branch, url }: Branch): Galley {
  const call: Call = (name, ...args) => server.call(branch, name, ...args);
  const isCompared = Boolean(process.env.GALLEY_AGAINST);
  const documents = <T extends object>(uid: string): DocumentService<T> => {
    const methods = documentMethods.map((method) => [
      method,
      (params?: object) => call("documents", uid, method, params),
    ]);
    return Object.fromEntries(methods) as DocumentService<T>;
  };
  const send: Galley["fetch"] = (input, init) => {
    const own = input instanceof Request ? requestTo(url, input) : new Request(new URL(input, url).href);
    const request = new Request(own, init);
    const site = isCompared ? callSite() : undefined;
    if (site !== undefined) request.headers.set(SITE_HEADER, site);
    return fetch(request);
  };
  const close = async (): Promise<void> => {
    try {
      // what was compared with another server is told before the process is ended
      if (!server.hasEnded && (branch !== 0 || isCompared)) await call("close");
    } finally {
      if (branch === 0) await server.close();
    }
  };
  const snapshots = new WeakMap<Snapshot, number>();
  const numberOf = (snapshot: Snapshot | undefined): number | undefined => {
    const number = snapshot && snapshots.get(snapshot);
    if (snapshot && number === undefined) throw new Error("The snapshot is of another project");
    return number;
  };
  return {
    documents,
    fetch: send,
    handle: (request) => send(request),
    serve: (port) => {
      if (port !== undefined && port !== Number(new URL(url).port))
        throw new Error("On Node.js the port is a free one; call serve() without a number");
      return url;
    },
    database: () => {
      throw new Error("On Node.js the database is in another process; read it with documents() or fetch()");
    },
    as: (caller) => createCaller(send, () => call("authorization", caller) as Promise<string | undefined>),
    snapshot: async () => {
      const snapshot = { takenAt: new Date() };
      snapshots.set(snapshot, (await call("snapshot")) as number);
      return snapshot;
    },
    reset: async (to) => {
      await call("reset", numberOf(to));
    },
    ...createKit(call),
    changes: async (since) => (await call("changes", numberOf(since))) as readonly DocumentChange[],
    branch: async () => toGalley(server, (await call("branch")) as Branch),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Call = (name: ToServer["name"], ...args: readonly unknown[]) => Promise<unknown>;

/** The functions of a test, which are called where the project is served. */
function createKit(call: Call): TestKit {
  const kit: Record<string, unknown> = { clock: {} };
  for (const name of kitFunctions) {
    const [first, second] = name.split(".") as [string, string?];
    const target = second === undefined ? kit : (kit.clock as typeof kit);
    target[second ?? first] = (...args: readonly unknown[]) => call(name, ...args);
  }
  return kit as unknown as TestKit;
}

/** The same request with the server's host. `Request` of Vitest's jsdom drops the method and headers of an `init` that is a `Request`. */
function requestTo(url: string, { url: from, method, headers, body, signal, redirect }: Request): Request {
  const { pathname, search } = new URL(from);
  const init: RequestInit & { duplex: "half" } = { method, headers, body, signal, redirect, duplex: "half" };
  return new Request(new URL(pathname + search, url).href, init);
}

export { ApiError, ProjectError };

/** A server with several workers for tests, and what they ask of it. */
import { readFileSync } from "node:fs";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { ADMIN, type Body } from "../project.ts";
import { until } from "../until.ts";

export const WORKERS = 3;

export const isAlive = (pid: number): boolean => {
  try {
    // a process that has ended and was not waited for yet is one no more
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** `galley serve` with workers, as a process of its own. */
export class Server {
  out = "";
  errors = "";
  readonly port = freePort();
  readonly child;

  /** `program` is the command line before its arguments. */
  constructor(root: string, program: readonly string[] = PROGRAM, options = ["--workers", String(WORKERS)]) {
    this.child = Bun.spawn([...program, "serve", root, "--port", String(this.port), ...options], {
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    });
    void this.#read(this.child.stdout, (text) => {
      this.out += text;
    });
    void this.#read(this.child.stderr, (text) => {
      this.errors += text;
    });
  }

  async #read(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
    for await (const chunk of stream) add(new TextDecoder().decode(chunk));
  }

  /** Fulfilled once the welcome was printed: every worker listens then. */
  started(): Promise<void> {
    return until("the server is there", () => {
      if (this.child.exitCode !== null) throw new Error(`It has ended: ${this.errors}`);
      return this.out.includes("Galley serves");
    });
  }

  /** Process ids of the children that there are: of the workers. */
  workers(): number[] {
    const { pid } = this.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.split(" ").filter(Boolean).map(Number).filter(isAlive);
  }

  /** Numbers of the workers that have answered such a request. */
  answeredBy(line: string): Set<string> {
    const lines = this.out.split("\n").filter((text) => text.includes(line));
    return new Set(lines.map((text) => /^\[(\d+)\]/.exec(text)?.[1] ?? text));
  }

  /** A request on a connection of its own, so that any worker may get it. */
  async call(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = ADMIN) {
    const headers: Record<string, string> = { ...more, connection: "close" };
    if (body !== undefined && !(body instanceof FormData)) headers["content-type"] = "application/json";
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      keepalive: false,
      headers,
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const answer: Body = isJson ? JSON.parse(text) : text;
    return { status: response.status, body: answer, headers: response.headers };
  }

  /** The same request many times at once, so that every worker gets some. */
  many(method: string, path: string, more?: Readonly<Record<string, string>>) {
    return Promise.all(Array.from({ length: 6 * WORKERS }, () => this.call(method, path, undefined, more)));
  }

  async stop(signal: NodeJS.Signals): Promise<number> {
    this.child.kill(signal);
    return this.child.exited;
  }
}

/** Sends the generated requests of a seed to one server in this process, and watches what they do to it. */
import { Random } from "../../test/random.ts";
import { Choices } from "./choices.ts";
import { openTarget, type Target } from "./project.ts";
import { type Generated, generate } from "./requests.ts";
import { exchange, rawBytes } from "./sockets.ts";

const MAX_BLOCKED_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const MAX_GROWTH_BYTES = 300 * 2 ** 20;
/** Requests to one server between two resets. */
const BATCH = 1_000;
/** Each such batch is sent to a server with much content. */
const LARGE_EVERY = 20;
/** Requests of a batch that go over a socket. */
const RAW_SHARE = 0.01;
const RAW_WAIT_MS = 300;
/** Nothing takes as long, on the busiest machine. */
const MAX_ANSWER_MS = 60_000;
const MAX_PROBLEMS = 20;
/** Batches until the size of the process counts as that of a warm server. */
const WARM_UP = 5;

export interface RunOptions {
  readonly seed: number;
  readonly requests: number;
  /** Whether the project has code of its own. */
  readonly ownCode?: boolean;
  /** Sends the requests of this one's batch up to it. */
  readonly only?: number | undefined;
  /** Whether to end before all requests are sent. */
  readonly isOver: () => boolean;
  readonly log: (line: string) => void;
  /** A problem, with the request. */
  readonly report: (text: string) => void;
}

export interface Figures {
  readonly requests: number;
  readonly problems: number;
  /** Answers by the first digit of their status: what is always refused tests little. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The longest time that one request kept the main thread, in milliseconds. */
  readonly longestStop: number;
  /** In bytes. */
  readonly largestAnswer: number;
  /** Of the process since it was warm, in bytes. */
  readonly growth: number;
}

const describe = ({ method, path, headers, body }: Generated): string => {
  const text = typeof body === "string" ? body : body === undefined ? "" : Buffer.from(body).toString("latin1");
  return `${method} ${path.slice(0, 3_000)}\n${JSON.stringify(headers)}\n${JSON.stringify(text.slice(0, 3_000))}`;
};

/** What the process has computed, in milliseconds: a busy machine makes waits longer, but not this. */
const computed = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The longest time that the main thread did nothing else. */
class Heartbeat {
  #last = performance.now();
  #longest = 0;
  readonly #timer = setInterval(() => this.beat(), 20);

  beat(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  take(): number {
    this.beat();
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Rejects when there is no result for too long. */
async function answered<T>(pending: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`no answer after ${MAX_ANSWER_MS / 1_000} seconds`));
  const timer = setTimeout(late, MAX_ANSWER_MS);
  try {
    return await Promise.race([pending, promise]);
  } finally {
    clearTimeout(timer);
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #target: Target;
  readonly #offset: number;
  readonly #heartbeat = new Heartbeat();
  readonly #statuses: Record<string, number> = {};
  /** What the process had computed before the request that is being answered. */
  #computed = computed();
  #problems = 0;
  #longestStop = 0;
  #largestAnswer = 0;
  #warm = 0;
  #growth = 0;

  constructor(target: Target, options: RunOptions) {
    this.#target = target;
    this.#options = options;
    this.#offset = new Random(options.seed).below(2 ** 32);
  }

  report(index: number, what: string, request = ""): void {
    this.#problems++;
    this.#options.report(`PROBLEM at index ${index} (seed ${this.#options.seed}): ${what}\n${request}\n`);
  }

  get isOver(): boolean {
    return this.#problems >= MAX_PROBLEMS || this.#growth > MAX_GROWTH_BYTES || this.#options.isOver();
  }

  /** Returns how many of the batch were sent. */
  async sendBatch(first: number, end: number): Promise<number> {
    const size = (first / BATCH) % LARGE_EVERY === LARGE_EVERY - 1 ? "large" : "small";
    await this.#target.reset(size);
    // they wait beside the others
    const overSockets: Promise<void>[] = [];
    let index = first;
    while (index < end && !this.isOver) {
      const at = index++;
      const random = this.#choicesOf(at);
      const failed = (request?: Generated) => (error: unknown) =>
        this.report(at, `thrown: ${Bun.inspect(error)}`, request && describe(request));
      if (random.chance(RAW_SHARE)) {
        overSockets.push(this.#sendRaw(at, random).catch(failed()));
        continue;
      }
      const request = generate(random, this.#options.ownCode);
      await this.#sendWhole(at, request).catch(failed(request));
    }
    await Promise.all(overSockets);
    if (!(await this.#isAlive())) this.report(first, "the server does not answer any more after this batch");
    return index - first;
  }

  /** `batch`: how many batches were sent before. Returns the size of the process. */
  measure(batch: number): number {
    Bun.gc(true);
    const { rss } = process.memoryUsage();
    if (batch < WARM_UP) this.#warm = Math.max(this.#warm, rss);
    else this.#growth = Math.max(this.#growth, rss - this.#warm);
    if (this.#growth > MAX_GROWTH_BYTES)
      this.report(batch * BATCH, `the process has grown by ${Math.round(this.#growth / 2 ** 20)} MB`);
    return rss;
  }

  end(requests: number): Figures {
    this.#heartbeat.stop();
    return {
      requests,
      problems: this.#problems,
      statuses: this.#statuses,
      longestStop: this.#longestStop,
      largestAnswer: this.#largestAnswer,
      growth: this.#growth,
    };
  }

  /** One request's random numbers: neighbouring indexes have little in common, and seeds no requests. */
  #choicesOf(index: number): Choices {
    return new Choices(Math.imul(this.#offset + index, 0x9e3779b1));
  }

  async #sendWhole(index: number, request: Generated): Promise<void> {
    const { method, path, headers, body } = request;
    const { galley, resolve } = this.#target;
    this.#heartbeat.take();
    const response = await answered(
      galley.handle(
        new Request(`http://localhost${resolve(path)}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: typeof body === "string" ? resolve(body) : body }),
        }),
      ),
    );
    const { byteLength } = await answered(response.arrayBuffer());
    const now = computed();
    const blocked = Math.min(this.#heartbeat.take(), now - this.#computed);
    this.#computed = now;
    this.#longestStop = Math.max(this.#longestStop, blocked);
    this.#largestAnswer = Math.max(this.#largestAnswer, byteLength);
    const status = `${Math.floor(response.status / 100)}xx`;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (response.status >= 500) this.report(index, `status ${response.status}`, describe(request));
    if (blocked > MAX_BLOCKED_MS)
      this.report(index, `the main thread was taken for ${Math.round(blocked)} ms`, describe(request));
    if (byteLength > MAX_ANSWER_BYTES) this.report(index, `an answer of ${byteLength} bytes`, describe(request));
  }

  async #sendRaw(index: number, random: Choices): Promise<void> {
    const bytes = rawBytes(random);
    const port = Number(new URL(this.#target.galley.serve()).port);
    const answer = await exchange(port, bytes, RAW_WAIT_MS);
    const status = Number(/^HTTP\/1\.\d (\d+)/.exec(answer)?.[1] ?? 0);
    // a method or a header that the server does not know may be 501 and 505
    if (status >= 500 && status !== 501 && status !== 505)
      this.report(index, `status ${status}`, JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 3_000)));
  }

  async #isAlive(): Promise<boolean> {
    const answer = await fetch(`${this.#target.galley.serve()}/_health`).catch(() => undefined);
    return answer?.status === 204;
  }
}

/** Resolves with the figures of what was sent before it was over, or before there were too many problems. */
export async function run(options: RunOptions): Promise<Figures> {
  const { only, log } = options;
  const requests = only === undefined ? options.requests : only + 1;
  const target = await openTarget(options.ownCode ?? false);
  const running = new Run(target, options);
  const thrown = (what: string) => (error: unknown) => running.report(-1, `${what}: ${Bun.inspect(error)}`);
  process.on("uncaughtException", thrown("an error that nobody caught"));
  process.on("unhandledRejection", thrown("a rejection that nobody caught"));
  const start = performance.now();
  let sent = 0;
  for (
    let first = only === undefined ? 0 : only - (only % BATCH);
    first < requests && !running.isOver;
    first += BATCH
  ) {
    sent += await running.sendBatch(first, Math.min(first + BATCH, requests));
    const rss = running.measure(first / BATCH);
    log(`${sent} requests, ${Math.round((performance.now() - start) / 1_000)} s, ${Math.round(rss / 2 ** 20)} MB`);
  }
  const figures = running.end(sent);
  await target.close();
  return figures;
}

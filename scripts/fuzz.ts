#!/usr/bin/env bun
/**
 * Sends generated requests to a server and looks at what they do to it: no failure (5xx), no long stop of the main thread, no
 * answer beyond the limit, no growth. A seed and an index make the same request again.
 *
 *   bun scripts/fuzz.ts [--requests 50000] [--seed N] [--seconds N] [--index N] [--quiet]
 *
 * --index sends the requests of that one's batch up to it, each batch being sent to a server as it was at the start.
 * Exits with 1 after the first problems.
 */
import { parseArgs } from "node:util";
import { Random } from "../test/random.ts";
import { openTarget, type Target } from "./fuzz/project.ts";
import { type Generated, generate } from "./fuzz/requests.ts";
import { exchange, rawBytes } from "./fuzz/sockets.ts";

const MAX_BLOCKED_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const MAX_GROWTH_BYTES = 300 * 2 ** 20;
/** Requests to one server between two resets. */
const BATCH = 2_500;
/** Requests of a batch that go over a socket. */
const RAW_SHARE = 0.01;
const RAW_WAIT_MS = 300;
const MAX_PROBLEMS = 20;
/** Batches until the size of the process counts as that of a warm server. */
const WARM_UP = 2;

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string", default: "20261122" },
    seconds: { type: "string" },
    index: { type: "string" },
    quiet: { type: "boolean", default: false },
  },
});
const seed = Number(options.seed);
const only = options.index === undefined ? undefined : Number(options.index);
const requests = only === undefined ? Number(options.requests) : only + 1;
const deadline =
  options.seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(options.seconds) * 1_000;

/** One request's random numbers; indexes beside each other have little to do with each other. */
const randomOf = (index: number): Random => new Random(Math.imul(seed ^ (index + 1), 0x9e3779b1));

const problems: string[] = [];
const describe = ({ method, path, headers, body }: Generated): string => {
  const text = typeof body === "string" ? body : body === undefined ? "" : Buffer.from(body).toString("latin1");
  return `${method} ${path.slice(0, 3_000)}\n${JSON.stringify(headers)}\n${JSON.stringify(text.slice(0, 3_000))}`;
};

function report(index: number, what: string, request: string): void {
  problems.push(what);
  console.log(`PROBLEM at index ${index} (seed ${seed}): ${what}\n${request}\n`);
}

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

let slowest = 0;
let largest = 0;

async function sendWhole(target: Target, index: number, request: Generated): Promise<void> {
  const { method, path, headers, body } = request;
  const before = computed();
  heartbeat.take();
  const response = await target.galley.handle(
    new Request(`http://localhost${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  );
  const { byteLength } = await response.arrayBuffer();
  const blocked = Math.min(heartbeat.take(), computed() - before);
  slowest = Math.max(slowest, blocked);
  largest = Math.max(largest, byteLength);
  if (response.status >= 500) report(index, `status ${response.status}`, describe(request));
  if (blocked > MAX_BLOCKED_MS)
    report(index, `the main thread was taken for ${Math.round(blocked)} ms`, describe(request));
  if (byteLength > MAX_ANSWER_BYTES) report(index, `an answer of ${byteLength} bytes`, describe(request));
}

async function sendRaw(port: number, index: number, random: Random): Promise<void> {
  const bytes = rawBytes(random);
  const answer = await exchange(port, bytes, RAW_WAIT_MS);
  const status = Number(/^HTTP\/1\.\d (\d+)/.exec(answer)?.[1] ?? 0);
  // a method or a header that the server does not know may be 501 and 505
  if (status >= 500 && status !== 501 && status !== 505)
    report(index, `status ${status}`, JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 3_000)));
}

/** They wait beside the others. */
let raw: Promise<void>[] = [];
const isRaw = (random: Random): boolean => random.chance(RAW_SHARE);

async function send(target: Target, index: number): Promise<void> {
  const random = randomOf(index);
  const port = Number(new URL(target.galley.serve()).port);
  if (isRaw(random)) {
    raw.push(
      sendRaw(port, index, random).catch((error: unknown) => report(index, `thrown: ${Bun.inspect(error)}`, "")),
    );
    return;
  }
  return sendWhole(target, index, generate(random));
}

const isAlive = async (target: Target): Promise<boolean> =>
  (await fetch(`${target.galley.serve()}/_health`).catch(() => undefined))?.status === 204;

/** Ctrl-C: the figures of what was done so far. */
let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (isEnding = true));
const isOver = (): boolean => isEnding || problems.length >= MAX_PROBLEMS || performance.now() > deadline;

process.on("uncaughtException", (error) => report(-1, `an error that nobody caught: ${Bun.inspect(error)}`, ""));
process.on("unhandledRejection", (error) => report(-1, `a rejection that nobody caught: ${Bun.inspect(error)}`, ""));

const heartbeat = new Heartbeat();
const target = await openTarget();
const start = performance.now();
let warm = 0;
let grown = 0;
let done = 0;
for (let first = only === undefined ? 0 : only - (only % BATCH); first < requests; first += BATCH) {
  await target.reset();
  for (let index = first; index < Math.min(first + BATCH, requests); index++, done++) {
    await send(target, index).catch((error: unknown) => report(index, `thrown: ${Bun.inspect(error)}`, ""));
    if (isOver()) break;
  }
  await Promise.all(raw);
  raw = [];
  if (!(await isAlive(target))) report(first, "the server does not answer any more after this batch", "");
  Bun.gc(true);
  const { rss } = process.memoryUsage();
  if (first / BATCH < WARM_UP) warm = Math.max(warm, rss);
  else grown = Math.max(grown, rss - warm);
  if (!options.quiet)
    console.log(
      `${done} requests, ${Math.round((performance.now() - start) / 1_000)} s, ${Math.round(rss / 2 ** 20)} MB`,
    );
  if (grown > MAX_GROWTH_BYTES) report(first, `the process has grown by ${Math.round(grown / 2 ** 20)} MB`, "");
  if (isOver() || grown > MAX_GROWTH_BYTES) break;
}
heartbeat.stop();
await target.close();
console.log(
  `${done} requests (seed ${seed}), ${problems.length} problems; longest stop ${Math.round(slowest)} ms, largest answer ${largest} bytes, growth ${Math.round(grown / 2 ** 20)} MB`,
);
process.exit(problems.length > 0 ? 1 : 0);

/** Runs a regular expression with backtracking in a worker, with a timeout. */
import type { Pattern } from "./engine.ts";

const START_MS = 2_000;
const TIMEOUT_MS = 150;
/** Longer strings are not tested, since an abandoned worker runs until the match ends. */
const MAX_LENGTH = 1_000;
/** While this many abandoned workers are running, nothing is tested. */
const MAX_ABANDONED = 2;

/** States in the first element of the shared array; the second is the outcome. */
const SENT = 0;
const STARTED = 1;
const DONE = 2;

const THREAD = `onmessage = ({ data: { source, text, state } }) => {
  const numbers = new Int32Array(state);
  const report = (step) => { Atomics.store(numbers, 0, step); Atomics.notify(numbers, 0); };
  report(${STARTED});
  numbers[1] = Number(new RegExp(source).test(text));
  report(${DONE});
};`;

let worker: Worker | undefined;
let abandoned = 0;

function startWorker(): Worker {
  const newWorker = new Worker(URL.createObjectURL(new Blob([THREAD], { type: "text/javascript" })));
  newWorker.unref();
  return newWorker;
}

function abandon(slow: Worker): void {
  worker = undefined;
  abandoned++;
  slow.addEventListener("close", () => abandoned--);
  slow.terminate();
}

function run(source: string, text: string): boolean | undefined {
  worker ??= startWorker();
  const state = new SharedArrayBuffer(8);
  const numbers = new Int32Array(state);
  worker.postMessage({ source, text, state });
  Atomics.wait(numbers, 0, SENT, START_MS);
  if (Atomics.load(numbers, 0) === STARTED) Atomics.wait(numbers, 0, STARTED, TIMEOUT_MS);
  if (Atomics.load(numbers, 0) === DONE) return numbers[1] === 1;
  abandon(worker);
  return undefined;
}

export const limited = (source: string): Pattern => ({
  test: (text) => (text.length > MAX_LENGTH || abandoned >= MAX_ABANDONED ? undefined : run(source, text)),
});

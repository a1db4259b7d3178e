/** Shows progress: a bar on a terminal, otherwise a line every few seconds. */
import { onInterruption } from "../lib/interruption.ts";

export interface Progress {
  /** `done` of `total`, in any unit. */
  readonly update: (done: number, total: number, label: string) => void;
  /** `done` of an unknown total. */
  readonly count: (done: number, label: string) => void;
  readonly stop: () => void;
}

/** Minimum time between two lines, so that they do not fill a log. */
const LINE_EVERY_MS = 5_000;

function createBar(): Progress {
  const { SingleBar } = require("cli-progress") as typeof import("cli-progress");
  const options = { clearOnComplete: true, hideCursor: true };
  let current: InstanceType<typeof SingleBar> | undefined;
  const stop = (): void => {
    current?.stop();
    current = undefined;
  };
  const keep = onInterruption(stop);
  const ensureBar = (format: string, total: number, label: string) => {
    if (current) return current;
    current = new SingleBar({ ...options, format });
    current.start(total, 0, { label });
    return current;
  };
  return {
    update: (done, total, label) => {
      const singleBar = ensureBar("{bar} {percentage}% {label}", total, label);
      singleBar.setTotal(total);
      singleBar.update(done, { label });
    },
    count: (done, label) => ensureBar("{value} {label}", done, label).update(done, { label }),
    stop: () => {
      stop();
      keep();
    },
  };
}

function createLines(print: (line: string) => void): Progress {
  let lastPrintedAt = performance.now();
  const printRarely = (text: () => string): void => {
    if (performance.now() - lastPrintedAt < LINE_EVERY_MS) return;
    lastPrintedAt = performance.now();
    print(text());
  };
  return {
    update: (done, total, label) => printRarely(() => `${Math.floor((100 * done) / Math.max(total, 1))}% ${label}`),
    count: (done, label) => printRarely(() => `${done} ${label}`),
    stop: () => {},
  };
}

export const createProgress = (print: (line: string) => void): Progress =>
  process.stdout.isTTY ? createBar() : createLines(print);

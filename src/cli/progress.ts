/** Shows how far a long command is: a bar on a terminal, a line now and then elsewhere. */

export interface Progress {
  /** `done` of `total`, in any unit. */
  readonly update: (done: number, total: number, what: string) => void;
  readonly stop: () => void;
}

/** Lines are for logs: more often would fill them. */
const LINE_EVERY_MS = 5_000;

function bar(): Progress {
  const { SingleBar } = require("cli-progress") as typeof import("cli-progress");
  const single = new SingleBar({ format: "{bar} {percentage}% {what}", clearOnComplete: true, hideCursor: true });
  let isStarted = false;
  return {
    update: (done, total, what) => {
      if (!isStarted) single.start(total, 0, { what });
      isStarted = true;
      single.setTotal(total);
      single.update(done, { what });
    },
    stop: () => {
      if (isStarted) single.stop();
    },
  };
}

function lines(print: (line: string) => void): Progress {
  let last = performance.now();
  return {
    update: (done, total, what) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      print(`${Math.floor((100 * done) / Math.max(total, 1))}% ${what}`);
    },
    stop: () => {},
  };
}

export const progressOn = (print: (line: string) => void): Progress => (process.stdout.isTTY ? bar() : lines(print));

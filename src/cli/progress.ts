/** Shows the progress of a command: a bar on a terminal, a line now and then elsewhere. */

export interface Progress {
  /** `done` of `total`, in any unit. */
  readonly update: (done: number, total: number, what: string) => void;
  /** `done` of an unknown total. */
  readonly count: (done: number, what: string) => void;
  readonly stop: () => void;
}

/** Lines are for logs: more often would fill them. */
const LINE_EVERY_MS = 5_000;

function bar(): Progress {
  const { SingleBar } = require("cli-progress") as typeof import("cli-progress");
  const options = { clearOnComplete: true, hideCursor: true };
  let shown: InstanceType<typeof SingleBar> | undefined;
  const show = (format: string, total: number, what: string) => {
    if (shown) return shown;
    shown = new SingleBar({ ...options, format });
    shown.start(total, 0, { what });
    return shown;
  };
  return {
    update: (done, total, what) => {
      const single = show("{bar} {percentage}% {what}", total, what);
      single.setTotal(total);
      single.update(done, { what });
    },
    count: (done, what) => show("{value} {what}", done, what).update(done, { what }),
    stop: () => {
      shown?.stop();
      shown = undefined;
    },
  };
}

function lines(print: (line: string) => void): Progress {
  let last = performance.now();
  const say = (text: () => string): void => {
    if (performance.now() - last < LINE_EVERY_MS) return;
    last = performance.now();
    print(text());
  };
  return {
    update: (done, total, what) => say(() => `${Math.floor((100 * done) / Math.max(total, 1))}% ${what}`),
    count: (done, what) => say(() => `${done} ${what}`),
    stop: () => {},
  };
}

export const progressOn = (print: (line: string) => void): Progress => (process.stdout.isTTY ? bar() : lines(print));

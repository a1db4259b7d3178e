/** Shows how far long work is, on a terminal: a bar, or a count where the total is not known. */
import { onInterruption } from "../lib/interruption.ts";
import type { Progress } from "../lib/progress.ts";
import type { CommandCall } from "./command.ts";

/** Not where output is read by a program or kept in a file. */
const isShown = ({ flag, environment }: Pick<CommandCall, "flag" | "environment">): boolean =>
  Boolean(process.stdout.isTTY && process.stderr.isTTY) &&
  !flag("json") &&
  !environment.NO_COLOR &&
  environment.TERM !== "dumb";

interface Bar {
  readonly show: Progress;
  /** Removes what is shown. Later progress is not shown. */
  readonly end: () => void;
}

/** `blocks`: nothing is called when the process is interrupted, so that the terminal is left as it is. */
function createBar(blocks: boolean): Bar {
  const { SingleBar, Format } = require("cli-progress") as typeof import("cli-progress");
  const bar = new SingleBar({
    clearOnComplete: true,
    hideCursor: !blocks,
    linewrap: blocks,
    format: (options, { value, progress }, { label, isCounted }) =>
      isCounted
        ? `${value} ${label}`
        : `${Format.BarFormat(progress, options)} ${Math.floor(100 * progress)}% ${label}`,
  });
  let isEnded = false;
  return {
    show: (label, done, total) => {
      if (isEnded) return;
      const payload = { label, isCounted: total === undefined };
      if (!bar.isActive) bar.start(total ?? done, done, payload);
      bar.setTotal(Math.max(total ?? done, done));
      bar.update(done, payload);
    },
    end: () => {
      isEnded = true;
      bar.stop();
    },
  };
}

/**
 * For work that blocks this process: an interruption ends it at once, since nothing listens. What is shown is removed when all is done,
 * or `end` is called.
 */
export function blockingProgress(call: Pick<CommandCall, "flag" | "environment">): Partial<Bar> {
  if (!isShown(call)) return {};
  let bar: Bar | undefined;
  const end = (): void => {
    bar?.end();
    bar = undefined;
  };
  return {
    show: (label, done, total) => {
      // loaded with the first work that takes long
      bar ??= createBar(true);
      bar.show(label, done, total);
      if (done === total) end();
    },
    end,
  };
}

/**
 * Calls `work`, and removes what was shown when it ends, calls `end` (before a question, for example), or the process is
 * interrupted. Later progress is not shown.
 */
export async function withProgress<T>(
  call: Pick<CommandCall, "flag" | "environment">,
  work: (progress: Progress, end: () => void) => Promise<T>,
): Promise<T> {
  if (!isShown(call))
    return work(
      () => {},
      () => {},
    );
  const { show, end } = createBar(false);
  const keep = onInterruption(end);
  try {
    return await work(show, end);
  } finally {
    end();
    keep();
  }
}

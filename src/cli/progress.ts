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
  const { SingleBar, Format } = require("cli-progress") as typeof import("cli-progress");
  const bar = new SingleBar({
    clearOnComplete: true,
    hideCursor: true,
    format: (options, { value, progress }, { label, isCounted }) =>
      isCounted
        ? `${value} ${label}`
        : `${Format.BarFormat(progress, options)} ${Math.floor(100 * progress)}% ${label}`,
  });
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    bar.stop();
  };
  const keep = onInterruption(end);
  try {
    return await work((label, done, total) => {
      if (isEnded) return;
      const payload = { label, isCounted: total === undefined };
      if (!bar.isActive) bar.start(total ?? done, done, payload);
      bar.setTotal(Math.max(total ?? done, done));
      bar.update(done, payload);
    }, end);
  } finally {
    end();
    keep();
  }
}

/** One request at a time, whose outcome is shown as a toast. */
import { useState } from "preact/hooks";
import { attempt, showDone } from "./toasts.tsx";

/** Runs `work`, shows `done` or the problem, and then reloads what the page shows. Returns whether it was done. */
type Run = (work: () => Promise<unknown>, done: string) => Promise<boolean>;

export function useWork(reload?: () => unknown): readonly [isBusy: boolean, run: Run] {
  const [isBusy, setIsBusy] = useState(false);
  const run: Run = async (work, done) => {
    if (isBusy) return false;
    setIsBusy(true);
    const isDone = await attempt(async () => {
      await work();
      showDone(done);
    });
    await reload?.();
    setIsBusy(false);
    return isDone;
  };
  return [isBusy, run];
}

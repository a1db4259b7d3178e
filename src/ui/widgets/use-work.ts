/** One request at a time, whose outcome is shown as a toast. */
import { useState } from "preact/hooks";
import { showDone, showProblem } from "./toasts.tsx";

/** Runs `work`, shows `done` or the problem, and then reloads what the page shows. */
type Run = (work: () => Promise<unknown>, done: string) => Promise<void>;

export function useWork(reload: () => unknown): readonly [isBusy: boolean, run: Run] {
  const [isBusy, setIsBusy] = useState(false);
  const run: Run = async (work, done) => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      await work();
      showDone(done);
    } catch (error) {
      showProblem(error);
    } finally {
      await reload();
      setIsBusy(false);
    }
  };
  return [isBusy, run];
}

/** Whether requests have been pending for some time. */
import { signal } from "@preact/signals";

/** Fast requests show nothing: an animation that begins and ends with each of them costs more than a key. */
const SLOW_MS = 400;

export const isWaiting = signal(false);

let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export async function trackPending<T>(work: () => Promise<T>): Promise<T> {
  if (count++ === 0) {
    timer = setTimeout(() => {
      isWaiting.value = true;
    }, SLOW_MS);
  }
  try {
    return await work();
  } finally {
    if (--count === 0) {
      clearTimeout(timer);
      isWaiting.value = false;
    }
  }
}

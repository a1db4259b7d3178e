/** The number of pending requests. */
import { signal } from "@preact/signals";

export const pendingRequests = signal(0);

export async function trackPending<T>(work: () => Promise<T>): Promise<T> {
  pendingRequests.value++;
  try {
    return await work();
  } finally {
    pendingRequests.value--;
  }
}

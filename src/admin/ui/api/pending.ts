/** How many requests have no answer yet. */
import { signal } from "@preact/signals";

export const pendingRequests = signal(0);

export async function counted<T>(work: () => Promise<T>): Promise<T> {
  pendingRequests.value++;
  try {
    return await work();
  } finally {
    pendingRequests.value--;
  }
}

/** Says what happened to those who do not see it. */
import { signal } from "@preact/signals";

const text = signal("");

export function announce(message: string): void {
  // the same message twice is said twice
  text.value = text.peek() === message ? `${message}\u00a0` : message;
}

export const Announcer = () => (
  <div class="visually-hidden" role="status" aria-live="assertive">
    {text.value}
  </div>
);

/** A live region for screen readers. */
import { signal } from "@preact/signals";

const text = signal("");

export function announce(message: string): void {
  // screen readers ignore an unchanged text
  text.value = text.peek() === message ? `${message}\u00a0` : message;
}

export const Announcer = () => (
  <div class="visually-hidden" role="status" aria-live="assertive">
    {text.value}
  </div>
);

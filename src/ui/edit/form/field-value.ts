/** The value of a field: a signal that reports changes by the user, and changes whose value is read when it is needed. */
import { type Signal, signal } from "@preact/signals";

export interface FieldValue<Value> {
  /** Setting it is a change by the user. */
  readonly value: Signal<Value>;
  /** Sets a value that was loaded from the server. */
  readonly load: (value: Value) => void;
  /**
   * Reports a change by the user whose value takes time to compute, such as that of a long text: `read` is called by `settle`,
   * rather than for each key.
   */
  readonly defer: (read: () => Value) => void;
  /** Sets `value` after a deferred change. */
  readonly settle: () => void;
}

/** `changed` is called after each change by the user, with the value before it unless it is deferred. */
export function createFieldValue<Value>(initial: Value, changed: (before?: Value) => void): FieldValue<Value> {
  const value = signal(initial);
  let last = initial;
  let isLoading = true;
  let deferred: (() => Value) | undefined;
  value.subscribe((now) => {
    const before = last;
    last = now;
    if (!isLoading) changed(before);
  });
  isLoading = false;
  const load = (loaded: Value): void => {
    deferred = undefined;
    isLoading = true;
    value.value = loaded;
    isLoading = false;
  };
  return {
    value,
    load,
    defer: (read) => {
      deferred = read;
      changed();
    },
    settle: () => {
      // its change has been reported
      if (deferred) load(deferred());
    },
  };
}

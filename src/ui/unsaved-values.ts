/**
 * Unsaved changes, as differences from what is saved, so that they also apply to what others save meanwhile. In `localStorage`: they
 * survive other pages, a reload, and a closed tab.
 */
import { signal } from "@preact/signals";
import { start } from "./model.ts";
import { readStored, store } from "./stored-json.ts";

/** By name. */
export type Changes<Value> = Readonly<Record<string, Value>>;
type Stored<Value> = Readonly<Record<string, Changes<Value>>>;

/** `kind`: of what is changed. Its ids are those of one form each. */
export function unsavedValues<Value>(kind: string) {
  const storageKey = (): string => ["galley", start.peek()?.project, kind].join("|");
  const stored = signal<Stored<Value> | undefined>(undefined);
  const read = (): Stored<Value> => (readStored(storageKey()) as Stored<Value> | undefined) ?? {};
  let isStored = true;
  const all = (): Stored<Value> => stored.value ?? read();
  return {
    of: (id: string): Changes<Value> => all()[id] ?? {},
    /** Nothing is kept of a form without changes. */
    set: (id: string, changes: Changes<Value>): void => {
      // other forms may have changed in another window since
      const { [id]: _, ...others } = isStored ? read() : all();
      const next = Object.keys(changes).length > 0 ? { ...others, [id]: changes } : others;
      stored.value = next;
      isStored = store(storageKey(), Object.keys(next).length > 0 ? next : undefined);
    },
  };
}

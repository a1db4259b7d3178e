/** JSON in the browser's storage. */

/** Undefined where there is none, and where another program has written something else. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where the storage is full, it lasts as long as the page. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // the signal that it comes from has it
  }
}

/** Which code of a project has started last, for errors whose stack names no file. */

/** How long errors are attributed to code that has started. */
const ATTRIBUTED_MS = 10_000;

let last: { readonly name: string; readonly at: number } | undefined;

/** As in "bootstrap of src/index.js"; undefined if none has started recently. */
export const lastStarted = (): string | undefined =>
  last && performance.now() - last.at < ATTRIBUTED_MS ? last.name : undefined;

/** Runs code. What it rejects without a handler is reported before other code starts. */
export async function startingCode<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  last = { name, at: performance.now() };
  try {
    return await run();
  } finally {
    await new Promise<void>((resolve) => setImmediate(resolve));
    last = { name, at: performance.now() };
  }
}

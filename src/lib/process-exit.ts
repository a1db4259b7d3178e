/** `process.exit` of a project's code, and of its packages: it must not end the process, which serves other requests. */

/** Ends the process, whoever has replaced `process.exit`. */
export const exitProcess: (code: number) => never = process.exit.bind(process);

let isEnding = false;

/** Called when the process stops by itself: code may end it earlier from now on, as its handlers of signals do. */
export function startEnding(): void {
  isEnding = true;
}

export const isProcessEnding = (): boolean => isEnding;

/** In place of `process.exit`. */
export function refuseExit(code: unknown = 0): never {
  if (isEnding) exitProcess(Number(code) || 0);
  throw new Error(`process.exit(${String(code)}) was called; the server keeps running`);
}

/** The console of a server. Bun's own waits until its pipe is read, and no request is answered meanwhile; that of Node.js does not. */
import { fstatSync } from "node:fs";
import { Writable } from "node:stream";
import { exitProcess } from "../lib/process-exit.ts";

/** Characters that wait for a reader. What is printed beyond them is left out. */
const MAX_WAITING = 1_000_000;
/** Milliseconds at the end of the process for those who still read. */
const END_LIMIT_MS = 2_000;

let waiting = 0;

function isPipe(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    return false; // the parent process has closed it
  }
}

function writeWithoutWaiting(target: NodeJS.WriteStream): Writable {
  // a reader that has gone away is not an error
  target.on("error", () => {});
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      if (waiting + line.length <= MAX_WAITING) {
        waiting += line.length;
        target.write(line, () => {
          waiting -= line.length;
        });
      }
      done();
    },
  });
}

export function printWithoutWaiting(): void {
  if (!isPipe(1) && !isPipe(2)) return;
  const [stdout, stderr] = [process.stdout, process.stderr].map(writeWithoutWaiting);
  Object.assign(globalThis, { console: new console.Console(stdout!, stderr) });
}

/** Ends the process when what it has printed was read, or nobody reads it. */
export async function exitWhenRead(code: number): Promise<never> {
  const limit = performance.now() + END_LIMIT_MS;
  while (waiting > 0 && performance.now() < limit) await Bun.sleep(5);
  exitProcess(code);
}

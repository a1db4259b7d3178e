/** The console of a server. Bun's own waits until its pipe is read, and no request is answered meanwhile; that of Node.js does not. */
import { fstatSync } from "node:fs";
import { Writable } from "node:stream";
import { exitProcess } from "../lib/process-exit.ts";

/** Characters that wait for a reader. Lines beyond them are left out. */
const MAX_WAITING = 10_000_000;
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
  let omitted = 0;
  const print = (text: string): void => {
    waiting += text.length;
    target.write(text, () => {
      waiting -= text.length;
    });
  };
  // a reader that has gone away is not an error
  target.on("error", () => {});
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (waiting + text.length > MAX_WAITING) omitted++;
      else {
        if (omitted > 0) print(`galley: nobody read what was printed; lines left out: ${omitted}\n`);
        omitted = 0;
        print(text);
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

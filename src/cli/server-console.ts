/** The console of a server. Bun's own waits until its pipe is read, and no request is answered meanwhile; that of Node.js does not. */
import { fstatSync } from "node:fs";
import { Writable } from "node:stream";

/** Characters that wait for a reader. What is printed beyond them is left out. */
const MAX_WAITING = 1_000_000;

function isPipe(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    return false; // the parent process has closed it
  }
}

function writeWithoutWaiting(target: NodeJS.WriteStream): Writable {
  let waiting = 0;
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

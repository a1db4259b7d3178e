/** Buffers rows in a temporary JSONL file until their stage of the archive is written. */
import { closeSync, createReadStream, openSync, rmSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

export function createLineFile(path: string) {
  let file: number | undefined = openSync(path, "wx", 0o600);

  function add(row: object): void {
    writeSync(file!, `${JSON.stringify(row)}\n`);
  }

  async function* rows(): AsyncGenerator<unknown> {
    close();
    for await (const line of createInterface({ input: createReadStream(path) }))
      if (line !== "") yield JSON.parse(line);
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  function remove(): void {
    close();
    rmSync(path, { force: true });
  }

  return { add, rows, remove };
}

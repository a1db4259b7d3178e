/** Buffers rows in a temporary JSONL file until their stage of the archive is written. */
import { closeSync, createReadStream, openSync, rmSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

export class LineFile {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "wx", 0o600);
  }

  add(row: object): void {
    writeSync(this.#file!, `${JSON.stringify(row)}\n`);
  }

  async *rows(): AsyncGenerator<unknown> {
    this.#close();
    for await (const line of createInterface({ input: createReadStream(this.#path) }))
      if (line !== "") yield JSON.parse(line);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  remove(): void {
    this.#close();
    rmSync(this.#path, { force: true });
  }
}

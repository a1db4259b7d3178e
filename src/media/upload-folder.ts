/** The folder of uploaded files, and the hidden folder in it where unfinished ones are written. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asyncFiles } from "./async-files.ts";

/** Hidden, so that nothing in it is ever served. */
const UNFINISHED = ".galley";

/** Tells this process's unfinished files from those of others, also of one that had the same process id before. */
export const PROCESS = `${process.pid}-${Math.random().toString(36).slice(2, 10)}`;

let counter = 0;

export class UploadFolder {
  #path: string | undefined;
  readonly #isTemporary: boolean;

  /** `path` undefined: a folder of the system's temporary ones, made when it is first needed and removed at the end. */
  constructor(path: string | undefined) {
    this.#path = path;
    this.#isTemporary = path === undefined;
  }

  /** Undefined while nothing has been uploaded to a temporary folder. */
  get path(): string | undefined {
    return this.#path;
  }

  get unfinished(): string | undefined {
    return this.#path === undefined ? undefined : join(this.#path, UNFINISHED);
  }

  /** Makes the folders. */
  ensure(): { readonly path: string; readonly unfinished: string } {
    if (this.#path === undefined) {
      const { tmpdir } = require("node:os") as typeof import("node:os");
      this.#path = mkdtempSync(join(tmpdir(), "galley-uploads-"));
    }
    const unfinished = join(this.#path, UNFINISHED);
    mkdirSync(unfinished, { recursive: true });
    return { path: this.#path, unfinished };
  }

  /** A path for a file that is being written. */
  unfinishedFile(ending: string): string {
    return join(this.ensure().unfinished, `${PROCESS}-${++counter}${ending}`);
  }

  /** Writes a whole file, down to the disk; answers its path. */
  async write(bytes: Uint8Array): Promise<string> {
    const path = this.unfinishedFile(".part");
    const file = await asyncFiles().open(path, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return path;
  }

  /** The names of finished files. */
  list(): readonly string[] {
    return this.#path === undefined ? [] : readdirSync(this.#path).filter((name) => name !== UNFINISHED);
  }

  /** Removes the other finished files. */
  keepOnly(names: readonly string[]): void {
    for (const name of this.list()) {
      if (this.#path !== undefined && !names.includes(name)) rmSync(join(this.#path, name));
    }
  }

  close(): void {
    if (this.#isTemporary && this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  }
}

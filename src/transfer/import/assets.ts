/** Media files of an archive, stored as unfinished uploads until the import is complete. */
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import type { UploadFolder } from "../../media/upload-folder.ts";

export class StagedAssets {
  readonly #folder: UploadFolder;
  /** Paths of received files, by final name. */
  readonly files = new Map<string, string>();

  constructor(folder: UploadFolder) {
    this.#folder = folder;
  }

  /** Rejects with errors of the file system. */
  async add(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#folder.unfinishedFile(".part");
    const file = await open(path, "wx", 0o644);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    this.files.set(name, path);
  }

  /** Removes all files. */
  discard(): void {
    for (const path of this.files.values()) rmSync(path, { force: true });
    this.files.clear();
  }
}

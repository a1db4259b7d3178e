/** Media files of an archive, written beside the upload folder's files until the import is complete. */

import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import type { UploadFolder } from "../../media/upload-folder.ts";

export class StagedAssets {
  readonly #folder: UploadFolder;
  /** Paths of complete files, by the names that they are to have. */
  readonly files = new Map<string, string>();

  constructor(folder: UploadFolder) {
    this.#folder = folder;
  }

  /** Throws the system's error for a full disk. */
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

  /** Removes files that were not moved. */
  discard(): void {
    for (const path of this.files.values()) rmSync(path, { force: true });
    this.files.clear();
  }
}

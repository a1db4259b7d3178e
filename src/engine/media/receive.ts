/** Writes a file part to an unfinished file as it arrives. */
import { asyncFiles } from "./async-files.ts";
import { writeNew } from "./disk.ts";
import { HEAD_BYTES } from "./types.ts";
import type { UploadFolder } from "./upload-folder.ts";

export interface ReceivedFile {
  /** As sent. */
  readonly filename: string;
  /** The declared type with its parameters; empty for none. */
  readonly declared: string;
  /** The unfinished file. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** The first bytes, for type detection. */
  readonly head: Uint8Array;
}

interface Part {
  readonly filename: string;
  readonly type: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/**
 * Reads a part to its end; bytes beyond `limit` are counted but not written. Removes the file and throws for errors of the
 * stream and of the disk.
 */
export async function receive(folder: UploadFolder, part: Part, limit: number): Promise<ReceivedFile> {
  const path = folder.unfinishedFile(".part");
  const head: Uint8Array[] = [];
  let headSize = 0;
  let size = 0;
  await writeNew(path, async (write) => {
    for await (const chunk of part.stream) {
      size += chunk.length;
      if (headSize < HEAD_BYTES) {
        const piece = chunk.slice(0, HEAD_BYTES - headSize);
        head.push(piece);
        headSize += piece.length;
      }
      if (size <= limit) await write(chunk);
    }
  });
  return { filename: part.filename, declared: part.type, path, size, head: Buffer.concat(head) };
}

/** Removes unfinished files that were not stored. */
export async function discard(files: readonly ReceivedFile[]): Promise<void> {
  const { rm } = asyncFiles();
  await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}

/** Writes a file part to an unfinished file as it arrives. */
import { asyncFiles } from "./async-files.ts";
import { writeNew } from "./disk.ts";
import { HEAD_BYTES } from "./types.ts";
import type { UploadFolder } from "./upload-folder.ts";

interface Part {
  readonly filename: string;
  readonly type: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/**
 * Reads a part to its end; bytes beyond `limit` are counted but not written. Removes the file and throws for errors of the
 * stream and of the disk. Returns the name as sent, the declared type with its parameters (empty for none), the unfinished file, its
 * size in bytes, and its first bytes for type detection.
 */
export async function receive(folder: UploadFolder, part: Part, limit: number) {
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

export type ReceivedFile = Readonly<Awaited<ReturnType<typeof receive>>>;

/** Removes unfinished files that were not stored. */
export async function discard(files: readonly ReceivedFile[]): Promise<void> {
  const { rm } = asyncFiles();
  await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}

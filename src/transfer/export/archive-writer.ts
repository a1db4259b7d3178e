/** Writes an archive: a tar file, compressed and encrypted according to its extension. */
import { createReadStream, createWriteStream, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Pack } from "tar-stream";
import { asProjectError } from "../../engine/storage/problems.ts";
import { removeLeftovers } from "../../engine/storage/temporary-folder.ts";
import { onInterruption } from "../../lib/interruption.ts";
import type { Progress } from "../../lib/progress.ts";
import { encryptStream } from "../archive/cipher.ts";
import type { ArchiveSource } from "../archive/entries.ts";
import type { Stage } from "../archive/paths.ts";
import type { Json } from "../archive/shapes.ts";
import type { Asset } from "./assets.ts";

/** Size of a JSONL file. It is buffered, since a tar header contains the size of its file. */
const MAX_PART_BYTES = 4_000_000;

/**
 * Writes an archive. Rejects with a ProjectError for errors of the file system, and with those of `write` and `check`, which reads what
 * was written before it replaces an earlier file. A partial file is removed, also if the process is interrupted; that of a killed
 * process is removed by the next export to the same file.
 */
export async function writeArchive<T>(
  target: ArchiveSource,
  write: (writer: ArchiveWriter) => Promise<T>,
  progress?: Progress,
  check?: (part: string) => Promise<unknown>,
): Promise<T> {
  const part = `${target.file}.${process.pid}.part`;
  const keep = onInterruption(() => rmSync(part, { force: true }));
  try {
    removeLeftovers(dirname(target.file), `${basename(target.file)}.`, ".part");
    const writer = new ArchiveWriter(target, part, progress);
    try {
      const result = await write(writer);
      await writer.finish();
      await check?.(part);
      renameSync(part, target.file);
      return result;
    } catch (error) {
      await writer.abandon();
      rmSync(part, { force: true });
      throw error;
    }
  } catch (error) {
    throw asProjectError(error, target.file);
  } finally {
    keep();
  }
}

class ArchiveWriter {
  readonly #pack: Pack;
  readonly #finished: Promise<void>;
  readonly #progress: Progress | undefined;
  #rows = 0;
  #files = 0;

  /** `file` has the extensions `.tar`, `.gz` and `.enc`, all optional. The file is readable only by its owner, since it contains password hashes. */
  constructor({ file, key }: ArchiveSource, part: string, progress: Progress | undefined) {
    this.#progress = progress;
    const { pack } = require("tar-stream") as typeof import("tar-stream");
    this.#pack = pack();
    this.#finished = pipeline(
      this.#pack as unknown as NodeJS.ReadableStream,
      /gz(\.enc)?$/.test(file) ? createGzip() : new PassThrough(),
      key === undefined ? new PassThrough() : encryptStream(key),
      // opened at once: it must not appear after an interruption has removed it
      createWriteStream(part, { fd: openSync(part, "w", 0o600) }),
    );
    // the next write reports the error
    this.#finished.catch(() => {});
  }

  async text(name: string, content: string | Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = this.#pack.entry({ name, mode: 0o644 }, content, (error) => (error ? reject(error) : resolve()));
    // the error of the archive, such as a full disk, is also that of the entry that is being written
    (entry as unknown as NodeJS.EventEmitter).on("error", () => {});
    await Promise.race([promise, this.#finished]);
  }

  /** Writes the rows of a stage, split into files. Resolves with the number of rows. */
  async rows(stage: Stage, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<number> {
    let lines: string[] = [];
    let size = 0;
    let part = 0;
    let count = 0;
    const flush = async (): Promise<void> => {
      if (lines.length === 0) return;
      const name = `${stage}/${stage}_${String(++part).padStart(5, "0")}.jsonl`;
      await this.text(name, Buffer.from(lines.join("\n")));
      lines = [];
      size = 0;
    };
    for await (const row of rows) {
      const line = JSON.stringify(row);
      lines.push(line);
      size += line.length;
      count++;
      this.#progress?.("rows", ++this.#rows);
      if (size > MAX_PART_BYTES) await flush();
    }
    await flush();
    return count;
  }

  async asset({ name, path, size, metadata }: Asset): Promise<void> {
    this.#progress?.("files", ++this.#files);
    await this.text(`assets/metadata/${name}.json`, JSON.stringify(metadata satisfies Json));
    await this.file(`assets/uploads/${name}`, { path, size });
  }

  /** Copies a file. `read`: gets its bytes. */
  async file(
    name: string,
    { path, size }: Pick<Asset, "path" | "size">,
    read: (chunk: Buffer) => void = () => {},
  ): Promise<void> {
    const entry = this.#pack.entry({ name, size, mode: 0o644 });
    // exactly the size in the header, although the file may grow in the meantime
    const content = size === 0 ? new PassThrough().end() : createReadStream(path, { end: size - 1 });
    content.on("data", read);
    await Promise.race([pipeline(content, entry as unknown as NodeJS.WritableStream), this.#finished]);
  }

  async finish(): Promise<void> {
    this.#pack.finalize();
    await this.#finished;
  }

  async abandon(): Promise<void> {
    this.#pack.destroy();
    await this.#finished.catch(() => {});
  }
}

export type { ArchiveWriter };

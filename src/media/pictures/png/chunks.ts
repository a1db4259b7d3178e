/** The parts that a PNG file is made of. */
import { crc32 } from "node:zlib";

export const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Length, name and checksum. */
const FRAME_BYTES = 12;

export interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

export interface ReadChunk extends Chunk {
  readonly checksum: number;
}

const checksumOf = ({ name, data }: Chunk): number => crc32(data, crc32(name));

/** Until the last one that is there as a whole. */
export function* readChunks(file: Uint8Array): Generator<ReadChunk> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let at = SIGNATURE.length;
  while (at + FRAME_BYTES <= bytes.length) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return;
    const name = bytes.toString("latin1", at + 4, at + 8);
    yield { name, data: bytes.subarray(at + 8, end - 4), checksum: bytes.readUInt32BE(end - 4) };
    at = end;
  }
}

/** Those without which there is no picture. */
const VITAL: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT"]);

/** Whether what the picture is made of has its checksums; decoders leave other chunks out when they are broken. */
export function isIntact(file: Uint8Array): boolean {
  for (const chunk of readChunks(file)) if (VITAL.has(chunk.name) && checksumOf(chunk) !== chunk.checksum) return false;
  return true;
}

export function writeChunk(chunk: Chunk): Buffer {
  const { name, data } = chunk;
  const bytes = Buffer.alloc(FRAME_BYTES + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(name, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(checksumOf(chunk), bytes.length - 4);
  return bytes;
}

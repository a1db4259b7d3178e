/** Moving WebP pictures: a container of frames, of which the first is taken out as a picture of its own. */
import { MAX_PICTURE_BYTES } from "./picture.ts";

const HAS_ANIMATION = 0x02;
const HAS_ALPHA = 0x10;
/** Position, size, duration and flags before the frame's own chunks, in bytes. */
const FRAME_HEADER = 16;

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

function* chunks(bytes: Buffer): Generator<Chunk> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    yield { name: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) };
    at += 8 + length + (length % 2);
  }
}

function chunk(name: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A still picture with the frame's data; transparency that stands apart needs the extended head. */
function still(frame: Buffer): Buffer | undefined {
  const parts = [...chunks(frame.subarray(FRAME_HEADER))].filter(({ name }) => ["ALPH", "VP8 ", "VP8L"].includes(name));
  if (parts.length === 0) return undefined;
  const body = parts.map(({ name, data }) => chunk(name, data));
  if (parts.some(({ name }) => name === "ALPH")) {
    const head = Buffer.alloc(10);
    head[0] = HAS_ALPHA;
    // width and height less one, three bytes each, as in the frame's header
    frame.copy(head, 4, 6, 12);
    body.unshift(chunk("VP8X", head));
  }
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...body]));
}

/** Undefined for a picture that does not move. */
export async function firstFrame(path: string): Promise<Uint8Array | undefined> {
  const file = Bun.file(path);
  const head = Buffer.from(await file.slice(0, 21).arrayBuffer());
  const moves = head.toString("latin1", 12, 16) === "VP8X" && ((head[20] ?? 0) & HAS_ANIMATION) !== 0;
  if (!moves || file.size > MAX_PICTURE_BYTES) return undefined;
  for (const { name, data } of chunks(Buffer.from(await file.arrayBuffer()).subarray(12))) {
    if (name === "ANMF") return still(data);
  }
  return undefined;
}

/**
 * WebP images: re-encoded, with copies of the same format. An animated image is stored unchanged, and its copies show the
 * first frame, since there is no encoder for animations.
 */
import { encode, load, measure, scale, toWebp, tryEncode } from "./bitmap.ts";
import type { Raster } from "./image.ts";

const HAS_ANIMATION = 0x02;
const HAS_ALPHA = 0x10;
/** "RIFF", the length and "WEBP", in bytes. */
const FILE_HEADER = 12;
/** Position, size, duration and flags before the frame's chunks, in bytes. */
const FRAME_HEADER = 16;

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

function* readChunks(bytes: Buffer): Generator<Chunk> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    yield { name: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) };
    at += 8 + length + (length % 2);
  }
}

function writeChunk(name: string, data: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, "latin1");
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}

/** A still image with the frame's data. A separate alpha chunk needs the extended header. */
function toStillImage(frame: Buffer): Buffer | undefined {
  const parts = [...readChunks(frame.subarray(FRAME_HEADER))].filter(({ name }) =>
    ["ALPH", "VP8 ", "VP8L"].includes(name),
  );
  if (parts.length === 0) return undefined;
  const body = parts.map(({ name, data }) => writeChunk(name, data));
  if (parts.some(({ name }) => name === "ALPH")) {
    const header = Buffer.alloc(10);
    header[0] = HAS_ALPHA;
    // width and height minus one, three bytes each, as in the frame's header
    frame.copy(header, 4, 6, 12);
    body.unshift(writeChunk("VP8X", header));
  }
  return writeChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...body]));
}

/** The first frame as a still image; undefined for an image that is not animated. */
function firstFrame(bytes: Buffer): Buffer | undefined {
  if (bytes.toString("latin1", 12, 16) !== "VP8X" || ((bytes[20] ?? 0) & HAS_ANIMATION) === 0) return undefined;
  for (const { name, data } of readChunks(bytes.subarray(FILE_HEADER))) if (name === "ANMF") return toStillImage(data);
  return undefined;
}

const encodeWebp = (image: Bun.Image) => encode(toWebp(image));

export const webp: Raster = {
  maxPixels: 2 ** 25,
  measure: async (bytes) => {
    const size = await measure(bytes);
    const frame = size && firstFrame(bytes);
    if (!size || !frame) return size && { ...size, pixels: size.width * size.height };
    // a frame may have another size than the image
    const { width, height } = (await measure(frame)) ?? size;
    return { ...size, pixels: Math.max(size.width * size.height, width * height) };
  },
  read: async (bytes, _, sizes) => {
    const frame = firstFrame(bytes);
    const stored = await tryEncode(toWebp(load(frame ?? bytes)));
    if (!stored) return undefined;
    return { stored: frame ? undefined : stored, copies: await scale(frame ?? bytes, sizes, encodeWebp) };
  },
};

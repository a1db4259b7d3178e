/** Writes a picture with a palette as PNG, byte by byte as libpng does it in the reference. */
import { constants, createDeflate } from "node:zlib";
import type { Size } from "../picture.ts";
import { SIGNATURE, writeChunk } from "./chunks.ts";
import type { Density } from "./reader.ts";

export interface IndexedPng extends Size {
  /** RGBA of each colour. */
  readonly palette: Uint8Array;
  /** One byte for each pixel. */
  readonly indexes: Uint8Array;
  readonly density: Density;
}

const INDEXED = 3;
const METRE = 1;
/** The only way of compression that there is. */
const DEFLATED = 8;
/** libpng's buffer, and so the size of an IDAT chunk. */
const BUFFER_BYTES = 8192;
/** From this size on libpng reckons with the largest window. */
const SMALL_BYTES = 16_384;
/** What deflate needs of a window for itself. */
const LOOKAHEAD = 262;

function header({ width, height }: Size): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = 8;
  data[9] = INDEXED;
  return data;
}

function coloursOf(palette: Uint8Array): Buffer {
  return Buffer.from(palette.filter((_, at) => at % 4 !== 3));
}

/** As far as the last colour that is not opaque. */
function alphaOf(palette: Uint8Array): Buffer {
  const alpha = palette.filter((_, at) => at % 4 === 3);
  return Buffer.from(alpha.subarray(0, alpha.findLastIndex((value) => value !== 255) + 1));
}

function densityData({ x, y }: Density): Buffer {
  const data = Buffer.alloc(9, METRE);
  data.writeUInt32BE(x, 0);
  data.writeUInt32BE(y, 4);
  return data;
}

/** The smallest window that holds small data. */
function windowBitsFor(bytes: number): number {
  let bits = constants.Z_MAX_WINDOWBITS;
  if (bytes <= SMALL_BYTES) while (bytes + LOOKAHEAD <= 2 ** (bits - 1)) bits--;
  return bits;
}

/** The first two bytes, told a smaller window for small data than deflate had. */
function writeWindow(data: Buffer, bytes: number): void {
  let info = (data[0] as number) >> 4;
  if (bytes > SMALL_BYTES || bytes > 2 ** (info + 7)) return;
  while (info > 0 && bytes <= 2 ** (info + 7)) info--;
  data[0] = (info << 4) | DEFLATED;
  const flags = (data[1] as number) & 0xe0;
  data[1] = flags + 31 - (((data[0] as number) * 256 + flags) % 31);
}

/** Row by row, since what deflate makes depends on how much it is given at once. */
function compress({ width, height, indexes }: IndexedPng): Promise<Buffer> {
  const bytes = (width + 1) * height;
  const deflate = createDeflate({ level: 6, chunkSize: BUFFER_BYTES, windowBits: windowBitsFor(bytes) });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  deflate.on("data", (part: Buffer) => parts.push(part));
  deflate.on("error", reject);
  deflate.on("end", () => {
    const data = Buffer.concat(parts);
    writeWindow(data, bytes);
    resolve(data);
  });
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(width + 1);
    row.set(indexes.subarray(y * width, (y + 1) * width), 1);
    // the end comes by itself, after the last row, as libpng has it
    deflate.write(row, y === height - 1 ? () => deflate.end() : undefined);
  }
  return promise;
}

export async function writePng(png: IndexedPng): Promise<Uint8Array> {
  const alpha = alphaOf(png.palette);
  const data = await compress(png);
  const parts = [
    { name: "IHDR", data: header(png) },
    { name: "PLTE", data: coloursOf(png.palette) },
    ...(alpha.length > 0 ? [{ name: "tRNS", data: alpha }] : []),
    { name: "pHYs", data: densityData(png.density) },
  ];
  for (let at = 0; at < data.length; at += BUFFER_BYTES) {
    parts.push({ name: "IDAT", data: data.subarray(at, at + BUFFER_BYTES) });
  }
  parts.push({ name: "IEND", data: Buffer.alloc(0) });
  return Buffer.concat([SIGNATURE, ...parts.map(writeChunk)]);
}

/** The first picture of a TIFF file, uncompressed. Takes its time: runs in the worker. */
import { inflateSync } from "node:zlib";
import type { decodeImage, toRGBA8 } from "utif2";
import type { Size } from "./picture.ts";
import { readTiffHeader, type TiffHeader } from "./tiff-header.ts";
import { inflateLzw } from "./tiff-lzw.ts";

interface Decoding {
  readonly decodeImage: typeof decodeImage;
  readonly toRGBA8: typeof toRGBA8;
}

const HEADER_BYTES = 54;

/** A BMP file of 24 bits a pixel; rows are padded to four bytes. Transparency is left out, as by the reference. */
function toBmp(rgba: Uint8Array, { width, height }: Size): Uint8Array {
  const stride = (width * 3 + 3) & ~3;
  const bmp = Buffer.alloc(HEADER_BYTES + stride * height);
  bmp.write("BM", "latin1");
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(HEADER_BYTES, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  // below zero: the first row is the top one
  bmp.writeInt32LE(-height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    let out = HEADER_BYTES + y * stride;
    for (let at = y * width * 4, end = at + width * 4; at < end; at += 4) {
      bmp[out++] = rgba[at + 2] as number;
      bmp[out++] = rgba[at + 1] as number;
      bmp[out++] = rgba[at] as number;
    }
  }
  return bmp;
}

type Inflate = (piece: Uint8Array, limit: number) => Uint8Array;

const inflate: Inflate = (piece, limit) => inflateSync(piece, { maxOutputLength: limit });

/** How pieces are taken apart before the package sees them, by the number of the compression; undefined: it does so itself. */
const compressions: ReadonlyMap<number, Inflate | undefined> = new Map([
  [1, undefined],
  [5, inflateLzw],
  [7, undefined],
  [8, inflate],
  [32773, undefined],
  [32946, inflate],
]);

const BITS = [1, 2, 4, 8, 16];
const MAX_SAMPLES = 4;
/** In pixels; a larger tile would be more than any program writes. */
const MAX_TILE = 16_777_216;

interface Layout {
  /** The tags for offsets and lengths. */
  readonly tags: readonly [number, number];
  readonly count: number;
  /** Of each piece when it is taken apart, in bytes. */
  readonly bytes: number;
}

function layoutOf({ tags, width, height }: TiffHeader, bitsPerPixel: number): Layout | undefined {
  const [across, down] = [tags.get(322)?.[0], tags.get(323)?.[0]];
  if (across === undefined) {
    const rows = Math.min(tags.get(278)?.[0] ?? height, height);
    if (rows === 0) return undefined;
    return { tags: [273, 279], count: Math.ceil(height / rows), bytes: rows * Math.ceil((width * bitsPerPixel) / 8) };
  }
  if (!across || !down || across * down > MAX_TILE) return undefined;
  const count = Math.ceil(width / across) * Math.ceil(height / down);
  return { tags: [324, 325], count, bytes: down * Math.ceil((across * bitsPerPixel) / 8) };
}

/**
 * The page in a form that the package can be trusted with: it believes every count and pointer, and its LZW never ends
 * with some broken data. Undefined for what it does not understand.
 */
function prepare(
  bytes: Uint8Array,
  header: TiffHeader,
): { bytes: Uint8Array; page: Record<string, number[]> } | undefined {
  const { tags } = header;
  const [compression = 1, samples = 1, order = 1] = [259, 277, 284].map((tag) => tags.get(tag)?.[0]);
  const bits = tags.get(258) ?? [1];
  const isKnown = compressions.has(compression) && order === 1 && samples >= 1 && samples <= MAX_SAMPLES;
  if (!isKnown || !bits.every((depth) => BITS.includes(depth))) return undefined;
  const layout = layoutOf(header, (bits[0] ?? 1) * samples);
  const offsets = layout && tags.get(layout.tags[0])?.slice(0, layout.count);
  if (!layout || offsets?.length !== layout.count) return undefined;
  const lengths = tags.get(layout.tags[1]) ?? [];
  const open = compressions.get(compression);
  const pieces = offsets.map((at, index) => {
    const piece = bytes.subarray(at, at + (lengths[index] ?? bytes.length));
    return open ? open(piece, layout.bytes) : compression === 1 ? piece.subarray(0, layout.bytes) : piece;
  });
  const starts: number[] = [];
  // the first bytes say the order of bytes
  let end = 8;
  for (const piece of pieces) {
    starts.push(end);
    end += piece.length;
  }
  const page = Object.fromEntries([...tags].map(([tag, values]) => [`t${tag}`, [...values]]));
  Object.assign(page, {
    t259: [open ? 1 : compression],
    [`t${layout.tags[0]}`]: starts,
    [`t${layout.tags[1]}`]: pieces.map(({ length }) => length),
  });
  return { bytes: Buffer.concat([bytes.subarray(0, 8), ...pieces]), page };
}

/** As BMP, which Bun decodes; undefined for a form of TIFF that is not understood, and for broken data. */
export function tiffToBmp(content: Uint8Array, size: Size): Uint8Array | undefined {
  const { decodeImage, toRGBA8 } = require("utif2") as Decoding;
  const header = readTiffHeader(Buffer.from(content.buffer, content.byteOffset, content.length));
  if (!header) return undefined;
  try {
    const prepared = prepare(content, header);
    if (!prepared) return undefined;
    const { bytes, page } = prepared;
    decodeImage(bytes, page);
    const rgba = toRGBA8(page);
    return rgba.length === size.width * size.height * 4 ? toBmp(rgba, size) : undefined;
  } catch (error) {
    // the package throws whatever it stumbles over, texts and numbers too
    if (error instanceof Error || typeof error === "string" || typeof error === "number") return undefined;
    throw error;
  }
}

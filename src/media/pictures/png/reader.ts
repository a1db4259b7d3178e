/** The pixels of a PNG file, of whatever kind it is: Bun decodes, and what it writes uncompressed is taken apart. */
import { inflateSync } from "node:zlib";
import { DECODING } from "../decoding.ts";
import type { Size } from "../picture.ts";
import { readChunks } from "./chunks.ts";
import { convertToSrgb } from "./icc/to-srgb.ts";

/** Pixels per metre. */
export interface Density {
  readonly x: number;
  readonly y: number;
}

export interface PngPixels extends Size {
  readonly rgba: Uint8Array;
  readonly density: Density;
}

/** 72 per inch, as the reference rounds it. */
const USUAL_DENSITY: Density = { x: 2834, y: 2834 };
const METRE = 1;

/** The bit of the header's colour type that says so. */
const COLOURED = 2;
/** What a compressed profile may grow to. */
const MAX_PROFILE_BYTES = 50 * 1_048_576;

/** The first chunk of each name, of those before the pixels. */
function readFirstChunks(file: Uint8Array): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (const { name, data } of readChunks(file)) {
    if (name === "IDAT") break;
    if (!chunks.has(name)) chunks.set(name, data);
  }
  return chunks;
}

/** What the reference writes for the density of a file; without a unit it takes the numbers for pixels per millimetre. */
function densityOf(data: Buffer | undefined): Density {
  if (data?.length !== 9) return USUAL_DENSITY;
  const scale = data[8] === METRE ? 1 : 1000;
  return { x: (data.readUInt32BE(0) * scale) >>> 0, y: (data.readUInt32BE(4) * scale) >>> 0 };
}

/** The profile of a file with colours of up to 8 bits; of others the reference makes something else. */
function profileOf(header: Buffer | undefined, data: Buffer | undefined): Buffer | undefined {
  if (!header || !data || (header[8] ?? 0) > 8 || ((header[9] ?? 0) & COLOURED) === 0) return undefined;
  try {
    // after the name, and how it is compressed
    return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
  } catch {
    // decoders leave a broken profile out
    return undefined;
  }
}

function readPixels(plain: Uint8Array): Size & { rgba: Uint8Array } {
  const chunks = [...readChunks(plain)];
  const header = chunks[0]?.data;
  if (!header) throw new Error("Bun wrote a PNG file without a header");
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const stride = width * 4;
  const rows = inflateSync(Buffer.concat(chunks.filter(({ name }) => name === "IDAT").map(({ data }) => data)));
  if (rows.length !== (stride + 1) * height) throw new Error("Bun wrote a PNG file that is not RGBA with 8 bits");
  const rgba = new Uint8Array(stride * height);
  for (let y = 0, at = 0; y < height; y++, at += stride + 1) {
    if (rows[at] !== 0) throw new Error("Bun wrote a PNG file with filters");
    rgba.set(rows.subarray(at + 1, at + 1 + stride), y * stride);
  }
  return { width, height, rgba };
}

/** In sRGB. Rejects with Bun's errors for what is no PNG file. */
export async function readPng(file: Uint8Array): Promise<PngPixels> {
  const pixels = readPixels(await new Bun.Image(file, DECODING).png({ compressionLevel: 0 }).bytes());
  const chunks = readFirstChunks(file);
  const profile = profileOf(chunks.get("IHDR"), chunks.get("iCCP"));
  if (profile) convertToSrgb(pixels.rgba, profile);
  return { ...pixels, density: densityOf(chunks.get("pHYs")) };
}

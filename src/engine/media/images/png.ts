/** PNG images: the image and its copies have a palette or all colours, whichever takes fewer bytes. */
import { crc32, inflateSync } from "node:zlib";
import { encode, load, measure, scale } from "./bitmap.ts";
import { invalidImage, type Raster, type Size } from "./image.ts";

const SIGNATURE_BYTES = 8;
/** Length, name and checksum of a chunk. */
const FRAME_BYTES = 12;
/** Larger images are stored unchanged, since encoding them takes several seconds. */
const MAX_ENCODED_PIXELS = 2 ** 21;
/** Maximum size of a decompressed colour profile. Those of screens and cameras have a few kilobytes. */
const MAX_PROFILE_BYTES = 2 ** 20;

/** Whether an iCCP chunk has a valid profile of a reasonable size. It starts with the profile's name and the compression method. */
function isProfile(data: Buffer): boolean {
  try {
    const profile = inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
    return profile.toString("latin1", 36, 40) === "acsp" && profile.readUInt32BE(0) === profile.length;
  } catch {
    // invalid or too large: the image is decoded without a profile
    return false;
  }
}

const always = (): boolean => true;

/** The chunks that affect pixels. Others, such as texts, are dropped: the decoder would decompress them without a limit. */
const keptChunks: Readonly<Record<string, (data: Buffer) => boolean>> = {
  IHDR: always,
  PLTE: always,
  tRNS: always,
  iCCP: isProfile,
  IDAT: always,
  IEND: always,
};

/** Chunks without which the image cannot be decoded correctly. */
const isCritical = (name: string): boolean => name === "IHDR" || name === "PLTE" || name === "IDAT";

/** Drops unneeded chunks. Throws an ApplicationError for a damaged file. */
export function stripChunks(bytes: Buffer): Buffer {
  const parts = [bytes.subarray(0, SIGNATURE_BYTES)];
  let hasProfile = false;
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length; ) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    // the decoder handles a truncated chunk
    if (end > bytes.length) {
      parts.push(bytes.subarray(at));
      break;
    }
    const name = bytes.toString("latin1", at + 4, at + 8);
    const isIntact = crc32(bytes.subarray(at + 4, end - 4)) === bytes.readUInt32BE(end - 4);
    if (!isIntact && isCritical(name)) throw invalidImage();
    const isRepeated = name === "iCCP" && hasProfile;
    hasProfile ||= name === "iCCP";
    if (isIntact && !isRepeated && keptChunks[name]?.(bytes.subarray(at + 8, end - 4)))
      parts.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

/** The shorter of two encodings. Without dithering, which compresses badly and which Strapi hardly uses. */
async function encodePng(image: Bun.Image): Promise<Uint8Array> {
  const lossless = await encode(image.png());
  const reduced = await encode(load(lossless).png({ palette: true, colors: 256, dither: false }));
  return reduced.length < lossless.length ? reduced : lossless;
}

/**
 * A reduced image from which to scale the copies of a large one, since decoding that for each copy takes seconds. The image
 * itself if a copy is larger than the reduced one. Rejects with an ApplicationError for a broken image.
 */
async function copySource(bytes: Buffer, { width, height }: Size, sizes: readonly Size[]): Promise<Uint8Array> {
  const scaled = (side: number): number => Math.ceil(side * Math.sqrt(MAX_ENCODED_PIXELS / (width * height)));
  const [reducedWidth, reducedHeight] = [scaled(width), scaled(height)];
  const reduced = await encode(load(bytes).resize(reducedWidth, reducedHeight).png());
  return sizes.some((size) => size.width > reducedWidth || size.height > reducedHeight) ? bytes : reduced;
}

export const png: Raster = {
  maxPixels: 2 ** 25,
  measure: async (bytes) => {
    // only the header, which is the first chunk
    const size = await measure(bytes.subarray(0, 33));
    return size && { ...size, pixels: size.width * size.height };
  },
  read: async (bytes, { width, height }, sizes) => {
    const stripped = stripChunks(bytes);
    if (width * height <= MAX_ENCODED_PIXELS)
      return { stored: await encodePng(load(stripped)), copies: await scale(stripped, sizes, encodePng) };
    const source = await copySource(stripped, { width, height }, sizes);
    return { stored: stripped, copies: await scale(source, sizes, encodePng) };
  },
};

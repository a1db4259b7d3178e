/** PNG pictures: stored, and copied, with a palette or with all colours, whichever takes fewer bytes. */
import { crc32, inflateSync } from "node:zlib";
import { encode, load, measure, scale } from "./bitmap.ts";
import { invalidPicture, type Raster, type Size } from "./picture.ts";

const SIGNATURE_BYTES = 8;
/** Length, name and checksum of a chunk. */
const FRAME_BYTES = 12;
/** Encoding more pixels than those of a usual screen takes several seconds: they are stored as they were sent. */
const MAX_ENCODED_PIXELS = 2 ** 21;
/** What a colour profile may inflate to. Those of screens and cameras have a few kilobytes. */
const MAX_PROFILE_BYTES = 2 ** 20;

/** Whether a compressed colour profile is one, and of a sane size. Its name and the method of compression come first. */
function isProfile(data: Buffer): boolean {
  try {
    const profile = inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
    return profile.toString("latin1", 36, 40) === "acsp" && profile.readUInt32BE(0) === profile.length;
  } catch {
    // broken, or larger than any: decoders go on without it
    return false;
  }
}

const always = (): boolean => true;

/** The chunks that pixels and colours come from. The decoder would inflate others, such as texts, without a limit. */
const neededChunks: Readonly<Record<string, (data: Buffer) => boolean>> = {
  IHDR: always,
  PLTE: always,
  tRNS: always,
  iCCP: isProfile,
  IDAT: always,
  IEND: always,
};

/** Chunks that make a picture wrong when they are damaged. */
const isCritical = (name: string): boolean => name === "IHDR" || name === "PLTE" || name === "IDAT";

/** Leaves out chunks that are not needed. Throws an ApplicationError for a damaged file. */
export function strip(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, SIGNATURE_BYTES)];
  let hasProfile = false;
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length; ) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    // a chunk that is cut off is left to the decoder
    if (end > bytes.length) {
      kept.push(bytes.subarray(at));
      break;
    }
    const name = bytes.toString("latin1", at + 4, at + 8);
    const isIntact = crc32(bytes.subarray(at + 4, end - 4)) === bytes.readUInt32BE(end - 4);
    if (!isIntact && isCritical(name)) throw invalidPicture();
    const isRepeated = name === "iCCP" && hasProfile;
    hasProfile ||= name === "iCCP";
    if (isIntact && !isRepeated && neededChunks[name]?.(bytes.subarray(at + 8, end - 4)))
      kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** The shorter of the two encodings. Without dithering, as it compresses better and the reference has little of it. */
async function encodePng(image: Bun.Image): Promise<Uint8Array> {
  const lossless = await encode(image.png());
  const reduced = await encode(load(lossless).png({ palette: true, colors: 256, dither: false }));
  return reduced.length < lossless.length ? reduced : lossless;
}

/**
 * A smaller picture to make the copies of a large one from: decoding it for each of them takes seconds. The picture itself
 * where a copy would be larger. Throws an ApplicationError for a broken picture.
 */
async function copySource(bytes: Buffer, { width, height }: Size, sizes: readonly Size[]): Promise<Uint8Array> {
  const scaled = (side: number): number => Math.ceil(side * Math.sqrt(MAX_ENCODED_PIXELS / (width * height)));
  const [across, down] = [scaled(width), scaled(height)];
  const reduced = await encode(load(bytes).resize(across, down).png());
  return sizes.some((size) => size.width > across || size.height > down) ? bytes : reduced;
}

export const png: Raster = {
  maxPixels: 2 ** 25,
  measure: async (bytes) => {
    // the header is the first chunk: what comes after it is not looked at
    const size = await measure(bytes.subarray(0, 33));
    return size && { ...size, pixels: size.width * size.height };
  },
  read: async (bytes, { width, height }, sizes) => {
    const stripped = strip(bytes);
    if (width * height <= MAX_ENCODED_PIXELS)
      return { stored: await encodePng(load(stripped)), copies: await scale(stripped, sizes, encodePng) };
    const source = await copySource(stripped, { width, height }, sizes);
    return { stored: stripped, copies: await scale(source, sizes, encodePng) };
  },
};

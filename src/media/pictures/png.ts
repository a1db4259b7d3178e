/** PNG pictures: stored, and copied, with a palette or with all colours, whichever takes fewer bytes. */
import { crc32, inflateSync } from "node:zlib";
import { encode, load, measure, scale } from "./bitmap.ts";
import { invalidPicture, type Raster } from "./picture.ts";

const SIGNATURE_BYTES = 8;
/** Length, name and checksum of a chunk. */
const FRAME_BYTES = 12;
/** Finding a palette for more pixels, those of a usual screen, takes several seconds: they keep all colours. */
const MAX_PALETTE_PIXELS = 2 ** 21;
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

/** The chunks that pixels and colours come from. The decoder would inflate others, such as texts, whatever their size. */
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
  if (image.width * image.height > MAX_PALETTE_PIXELS) return lossless;
  const reduced = await encode(load(lossless).png({ palette: true, colors: 256, dither: false }));
  return reduced.length < lossless.length ? reduced : lossless;
}

export const png: Raster = {
  maxPixels: 2 ** 25,
  measure: async (bytes) => {
    // the header is the first chunk: what comes after it is not looked at
    const size = await measure(bytes.subarray(0, 33));
    return size && { ...size, pixels: size.width * size.height };
  },
  read: async (bytes, _, sizes) => {
    const stripped = strip(bytes);
    return { stored: await encodePng(load(stripped)), copies: await scale(stripped, sizes, encodePng) };
  },
};

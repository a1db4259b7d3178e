/** JPEG images: re-encoded, with copies of the same format. */
import { encode, load, measure, scale, toJpeg } from "./bitmap.ts";
import { invalidImage, type Raster } from "./image.ts";

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** As many as progressive images usually have: an image with more counts as a larger one. */
const USUAL_SCANS = 10;

/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * Counts the scans of a file by its markers. Compressed data between them contains only restart markers and stuffed zeros.
 * Undefined for a truncated file, whose rest the decoder would fill with grey.
 */
export function countScans(bytes: Buffer): number | undefined {
  let scans = 0;
  for (let at = 2; ; ) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return undefined;
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++];
    if (marker === END_OF_IMAGE) return scans;
    if (marker === undefined || at + 2 > bytes.length) return undefined;
    if (marker === 0 || isBare(marker)) continue;
    if (marker === START_OF_SCAN) scans++;
    at += bytes.readUInt16BE(at);
  }
}

const encodeJpeg = (image: Bun.Image): Promise<Uint8Array> => encode(toJpeg(image));

export const jpeg: Raster = {
  maxPixels: 2 ** 26,
  measure: async (bytes) => {
    const size = await measure(bytes);
    if (!size) return undefined;
    const scans = countScans(bytes);
    if (scans === undefined) throw invalidImage();
    return { ...size, isHalved: true, pixels: size.width * size.height * Math.max(1, scans / USUAL_SCANS) };
  },
  read: async (bytes, _, sizes) => ({
    stored: await encodeJpeg(load(bytes)),
    copies: await scale(bytes, sizes, encodeJpeg),
  }),
};

/** GIF images: stored unchanged, with animated copies. */
import { encode, load, toJpeg } from "./bitmap.ts";
import { copyGif } from "./gif-copies.ts";
import { parseGif } from "./gif-frames.ts";
import { invalidImage, MAX_PIXELS, type Measured, type Raster } from "./image.ts";

/**
 * The size of the screen and the number of pixels of all frames, without decoding. Undefined for a truncated file. Throws an
 * ApplicationError for a screen that is too large.
 */
export function measureGif(bytes: Buffer): Measured | undefined {
  const gif = parseGif(bytes);
  if (!gif) return undefined;
  const { width, height, frames } = gif;
  if (width * height > MAX_PIXELS) throw invalidImage();
  // a frame may be larger than the screen
  const decoded = frames.reduce((sum, frame) => sum + frame.width * frame.height, 0);
  return { width, height, pixels: Math.max(width * height * frames.length, decoded) };
}

export const gif: Raster = {
  maxPixels: 2 ** 25,
  measure: measureGif,
  read: async (bytes, _, sizes) => {
    // decodes the first frame, as Strapi does without copies
    await encode(toJpeg(load(bytes).resize(1, 1)));
    if (sizes.length === 0) return { stored: undefined, copies: [] };
    const copies = copyGif(bytes, sizes);
    if (!copies) throw invalidImage();
    return { stored: undefined, copies };
  },
};

/** GIF pictures: stored as they are, with copies that move like them. */
import { encode, load, toJpeg } from "./bitmap.ts";
import { copyGif } from "./gif-copies.ts";
import { parseGif } from "./gif-frames.ts";
import { invalidPicture, MAX_PIXELS, type Measured, type Raster } from "./picture.ts";

/**
 * The screen's size and the pixels of all frames, without decoding any; undefined for a file that breaks off. Throws an
 * ApplicationError for too large a screen.
 */
export function measureGif(bytes: Buffer): Measured | undefined {
  const gif = parseGif(bytes);
  if (!gif) return undefined;
  const { width, height, frames } = gif;
  if (width * height > MAX_PIXELS) throw invalidPicture();
  // a frame may claim to be larger than the screen that it is shown on
  const decoded = frames.reduce((sum, frame) => sum + frame.width * frame.height, 0);
  return { width, height, pixels: Math.max(width * height * frames.length, decoded) };
}

export const gif: Raster = {
  maxPixels: 2 ** 25,
  measure: measureGif,
  read: async (bytes, _, sizes) => {
    // decodes the first frame, as the reference does without copies
    await encode(toJpeg(load(bytes).resize(1, 1)));
    if (sizes.length === 0) return { stored: undefined, copies: [] };
    const copies = copyGif(bytes, sizes);
    if (!copies) throw invalidPicture();
    return { stored: undefined, copies };
  },
};

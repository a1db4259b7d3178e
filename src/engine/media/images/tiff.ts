/** TIFF images: only their size is read. The runtime decodes none, so that they are stored unchanged, without copies. */
import { invalidImage, MAX_PIXELS, type Measured, type Raster } from "./image.ts";

const WIDTH = 256;
const HEIGHT = 257;
const SHORT = 3;
const LONG = 4;
const ENTRY_BYTES = 12;

/** The size in the first directory of the file. Undefined if it is outside of the file, or has no size. */
function measureTiff(bytes: Buffer): Measured | undefined {
  const isLittleEndian = bytes[0] === 0x49;
  const at = (offset: number, length: 2 | 4): number =>
    isLittleEndian ? bytes.readUIntLE(offset, length) : bytes.readUIntBE(offset, length);
  const directory = bytes.length < 8 ? bytes.length : at(4, 4);
  if (directory + 2 > bytes.length) return undefined;
  const end = Math.min(directory + 2 + at(directory, 2) * ENTRY_BYTES, bytes.length);
  const sizes = new Map<number, number>();
  for (let entry = directory + 2; entry + ENTRY_BYTES <= end; entry += ENTRY_BYTES) {
    const type = at(entry + 2, 2);
    // other tags, or a width that is not one number
    if (type === SHORT || type === LONG) sizes.set(at(entry, 2), at(entry + 8, type === SHORT ? 2 : 4));
  }
  const [width, height] = [sizes.get(WIDTH), sizes.get(HEIGHT)];
  if (!width || !height) return undefined;
  if (width * height > MAX_PIXELS) throw invalidImage();
  return { width, height, pixels: width * height };
}

export const tiff: Raster = { maxPixels: 0, measure: measureTiff, read: async () => undefined };

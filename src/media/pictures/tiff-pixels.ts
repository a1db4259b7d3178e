/** The first picture of a TIFF file, uncompressed. Takes its time: runs in the worker. */
import type { decode, decodeImage, toRGBA8 } from "utif2";
import type { Size } from "./picture.ts";

interface Decoding {
  readonly decode: typeof decode;
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

/** As BMP, which Bun decodes; undefined for a form of TIFF that is not understood. */
export function tiffToBmp(bytes: Uint8Array, size: Size): Uint8Array | undefined {
  const { decode, decodeImage, toRGBA8 } = require("utif2") as Decoding;
  try {
    const [first] = decode(bytes);
    if (!first) return undefined;
    decodeImage(bytes, first);
    const rgba = toRGBA8(first);
    return rgba.length === size.width * size.height * 4 ? toBmp(rgba, size) : undefined;
  } catch (error) {
    // the package stumbles over what it does not know
    if (error instanceof Error) return undefined;
    throw error;
  }
}

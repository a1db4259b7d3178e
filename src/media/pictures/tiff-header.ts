/** What a TIFF file says about itself, read without its pixels and without trusting its pointers. */
import type { Size } from "./picture.ts";

const MAX_PAGES = 1000;
const ENTRY_BYTES = 12;
const WIDTH = 256;
const HEIGHT = 257;
const SHORT = 3;

export interface TiffHeader extends Size {
  readonly pages: number;
}

/** Undefined for a file that breaks off or leads in circles. */
export function readTiffHeader(bytes: Buffer): TiffHeader | undefined {
  const isLittle = bytes[0] === 0x49;
  const short = (at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const tagOf = (page: number, tag: number): number => {
    for (let index = 0; index < short(page); index++) {
      const at = page + 2 + index * ENTRY_BYTES;
      if (short(at) === tag) return short(at + 2) === SHORT ? short(at + 8) : long(at + 8);
    }
    return 0;
  };
  const pages: number[] = [];
  try {
    for (let page = long(4); page !== 0; page = long(page + 2 + short(page) * ENTRY_BYTES)) {
      if (pages.includes(page) || pages.length === MAX_PAGES) return undefined;
      pages.push(page);
    }
    const [first] = pages;
    const size = first === undefined ? undefined : { width: tagOf(first, WIDTH), height: tagOf(first, HEIGHT) };
    return size && size.width > 0 && size.height > 0 ? { ...size, pages: pages.length } : undefined;
  } catch (error) {
    // a pointer beyond the end
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

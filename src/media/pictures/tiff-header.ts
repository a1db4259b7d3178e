/** What a TIFF file says about itself, read without trusting its pointers and counts. */
import type { Size } from "./picture.ts";

const MAX_PAGES = 1000;
const ENTRY_BYTES = 12;
/** Bytes of one value, by type; other types are not needed for the picture itself. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 7: 1 };

const WIDTH = 256;
const HEIGHT = 257;
/** Where the data lies: strips and tiles, each with offsets and lengths. */
const DATA = [
  [273, 279],
  [324, 325],
] as const;
/** Everything that says how the data is to be read. */
const WANTED = new Set([WIDTH, HEIGHT, 258, 259, 262, 266, 277, 278, 284, 292, 293, 317, 320, 322, 323, 338, 339, 347]);
for (const tag of DATA.flat()) WANTED.add(tag);

export interface TiffHeader extends Size {
  readonly pages: number;
  /** The first page's values, by the number of the tag; all of them lie inside the file. */
  readonly tags: ReadonlyMap<number, readonly number[]>;
}

class Reader {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#isLittle = bytes[0] === 0x49;
  }

  short(at: number): number {
    return this.#isLittle ? this.#bytes.readUInt16LE(at) : this.#bytes.readUInt16BE(at);
  }

  long(at: number): number {
    return this.#isLittle ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at);
  }

  /** The beginnings of the pages; undefined where they lead in circles. */
  pages(): number[] | undefined {
    const pages = new Set<number>();
    for (let page = this.long(4); page !== 0; page = this.long(page + 2 + this.short(page) * ENTRY_BYTES)) {
      if (pages.has(page) || pages.size === MAX_PAGES) return undefined;
      pages.add(page);
    }
    return [...pages];
  }

  /** Throws a RangeError for values beyond the end. */
  tags(page: number): Map<number, number[]> {
    const tags = new Map<number, number[]>();
    for (let index = 0; index < this.short(page); index++) {
      const entry = page + 2 + index * ENTRY_BYTES;
      const [tag, size] = [this.short(entry), VALUE_BYTES[this.short(entry + 2)]];
      if (!WANTED.has(tag) || size === undefined) continue;
      const count = this.long(entry + 4);
      if (count * size > this.#bytes.length) throw new RangeError(`The tag ${tag} has more values than the file`);
      const at = count * size > 4 ? this.long(entry + 8) : entry + 8;
      const read = (place: number): number =>
        size === 4 ? this.long(place) : size === 2 ? this.short(place) : this.#bytes.readUInt8(place);
      tags.set(
        tag,
        Array.from({ length: count }, (_, place) => read(at + place * size)),
      );
    }
    return tags;
  }
}

/** Undefined for a file that breaks off, leads in circles or has its data elsewhere. */
export function readTiffHeader(bytes: Buffer): TiffHeader | undefined {
  try {
    const reader = new Reader(bytes);
    const pages = reader.pages();
    if (pages?.[0] === undefined) return undefined;
    const tags = reader.tags(pages[0]);
    const [width = 0, height = 0] = [tags.get(WIDTH)?.[0], tags.get(HEIGHT)?.[0]];
    const hasData = DATA.some(([offsets, lengths]) => {
      const [from, long] = [tags.get(offsets) ?? [], tags.get(lengths) ?? []];
      return from.length > 0 && from.every((at, index) => at + (long[index] ?? bytes.length) <= bytes.length);
    });
    return width > 0 && height > 0 && hasData ? { width, height, pages: pages.length, tags } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

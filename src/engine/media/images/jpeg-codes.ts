/**
 * Rewrites a JPEG image with the shortest Huffman codes, as Strapi stores them: the pixels stay as they are, and small
 * images take less than half of the bytes.
 */
import { codesBySymbol, createLookup, type HuffmanTable, shortestCodes } from "./huffman-codes.ts";

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const BASELINE_FRAME = 0xc0;
const HUFFMAN_TABLES = 0xc4;
const JFIF = 0xe0;
const RESTART_INTERVAL = 0xdd;

const BLOCK = 64;
/** So many are read at once. */
const UNITS = 64;
/** About half a megapixel, in units of 16 × 16. */
const UNITS_PER_TURN = 32 * UNITS;
/** A run of 16 zeros. */
const ZEROS = 0xf0;

/** Numbers of a block's tables in `Scan.tables`: tables for the first and for the other coefficients. */
interface BlockTables {
  readonly first: number;
  readonly others: number;
}

interface Scan {
  /** Segments that stay, with their markers. */
  readonly kept: Uint8Array[];
  /** The segment that starts the scan. */
  readonly start: Uint8Array;
  /** By class and number: `class << 4 | number` as in a file, in the order of the file. */
  readonly tables: ReadonlyMap<number, HuffmanTable>;
  /** The tables of the blocks of each unit. */
  readonly blocks: readonly BlockTables[];
  readonly units: number;
  readonly data: Uint8Array;
}

function readTables(segment: Uint8Array, tables: Map<number, HuffmanTable>): void {
  for (let at = 4; at < segment.length; ) {
    const counts = Uint8Array.from([0, ...segment.subarray(at + 1, at + 17)]);
    const total = counts.reduce((a, b) => a + b, 0);
    tables.set(segment[at]!, { counts, symbols: segment.slice(at + 17, at + 17 + total) });
    at += 17 + total;
  }
}

/** The blocks of a unit, and how many units there are. `frame` and `start` are whole segments. */
function readLayout(frame: Uint8Array, start: Uint8Array): Pick<Scan, "blocks" | "units"> | undefined {
  const [height, width] = [(frame[5]! << 8) | frame[6]!, (frame[7]! << 8) | frame[8]!];
  const count = frame[9]!;
  if (start[4] !== count) return undefined;
  const parts = Array.from({ length: count }, (_, index) => {
    const sampling = frame[11 + 3 * index]!;
    const tables = start[6 + 2 * index]!;
    return {
      across: sampling >> 4,
      down: sampling & 15,
      tables: { first: tables >> 4, others: 0x10 | (tables & 15) },
    };
  });
  // a single component has units of one block, whatever its sampling says
  if (count === 1) {
    const units = Math.ceil(width / 8) * Math.ceil(height / 8);
    return { blocks: [parts[0]!.tables], units };
  }
  const across = 8 * Math.max(...parts.map((part) => part.across));
  const down = 8 * Math.max(...parts.map((part) => part.down));
  return {
    blocks: parts.flatMap((part) => Array.from({ length: part.across * part.down }, () => part.tables)),
    units: Math.ceil(width / across) * Math.ceil(height / down),
  };
}

/** The compressed data of the only scan, without stuffed zeros; undefined where a marker other than the last one follows. */
function readData(bytes: Uint8Array, from: number): Uint8Array | undefined {
  // readers look two bytes ahead
  const data = new Uint8Array(bytes.length - from + 4);
  let length = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0xff) {
      const next = bytes[++at];
      if (next === END_OF_IMAGE) return data.subarray(0, length + 4);
      if (next !== 0) return undefined;
    }
    data[length++] = byte;
  }
  return undefined;
}

/** Undefined for what this file does not rewrite: progressive images, restart markers, several scans. */
function readScan(bytes: Uint8Array): Scan | undefined {
  const tables = new Map<number, HuffmanTable>();
  const kept: Uint8Array[] = [];
  let frame: Uint8Array | undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    const end = at + 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
    const segment = bytes.subarray(at, end);
    if (marker === START_OF_SCAN) {
      const layout = frame && readLayout(frame, segment);
      const data = readData(bytes, end);
      return layout && data && { kept, start: segment, tables, ...layout, data };
    }
    if (marker === RESTART_INTERVAL) return undefined;
    if (marker === HUFFMAN_TABLES) readTables(segment, tables);
    else if (marker !== JFIF) kept.push(segment);
    if (marker === BASELINE_FRAME) frame = segment;
    at = end;
  }
  return undefined;
}

/**
 * A symbol, its table (as in `Scan.tables`) and the bits of the coefficient that follow its code, in one number: the symbol's last four bits
 * say how many there are. Without the bits it is a key.
 */
const TABLE_SHIFT = 8;
const TABLES = 32;
const BITS_SHIFT = 13;
const KEYS = 1 << BITS_SHIFT;
const keyOf = (table: number, symbol: number): number => (table << TABLE_SHIFT) | symbol;

/** Reads the symbols of blocks, of some units at a time. */
class BlockReader {
  readonly #data: Uint8Array;
  readonly #end: number;
  readonly #blocks: readonly BlockTables[];
  readonly #lookups: readonly Uint16Array[];
  #position = 0;
  /** The symbols that were read last. */
  readonly symbols: Uint32Array;

  /** `lookups`: by table. */
  constructor({ data, blocks }: Scan, lookups: readonly Uint16Array[]) {
    this.#data = data;
    this.#end = 8 * (data.length - 4);
    this.#blocks = blocks;
    this.#lookups = lookups;
    this.symbols = new Uint32Array(UNITS * blocks.length * BLOCK);
  }

  /** Returns the number of symbols; -1 for data that is not what its tables say. In one loop, which takes a fifth of the time of several. */
  read(units: number): number {
    const { symbols } = this;
    const data = this.#data;
    const end = this.#end;
    const blocks = this.#blocks;
    const lookups = this.#lookups;
    let position = this.#position;
    let count = 0;
    for (let block = 0, all = units * blocks.length; block < all; block++) {
      const { first, others } = blocks[block % blocks.length]!;
      let table = first;
      for (let coefficient = 0; coefficient < BLOCK; ) {
        let at = position >>> 3;
        let next = (((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!) >>> (8 - (position & 7))) & 0xffff;
        const entry = lookups[table]![next]!;
        const symbol = entry & 0xff;
        const length = symbol & 15;
        position += entry >>> 8;
        if (entry === 0 || position + length > end) return -1;
        let bits = 0;
        if (length > 0) {
          at = position >>> 3;
          next = (((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!) >>> (8 - (position & 7))) & 0xffff;
          bits = next >>> (16 - length);
          position += length;
        }
        symbols[count++] = (bits << BITS_SHIFT) | (table << TABLE_SHIFT) | symbol;
        if (coefficient === 0) {
          coefficient = 1;
          table = others;
        } else if (length === 0 && symbol !== ZEROS) break;
        else coefficient += (symbol >>> 4) + 1;
      }
    }
    this.#position = position;
    return count;
  }
}

/**
 * Calls `use` with the symbols of all blocks, some at a time. False for data that is not what its tables say. Large images take many
 * milliseconds, so other requests get a turn now and then.
 */
async function readBlocks(
  scan: Scan,
  lookups: readonly Uint16Array[],
  use: (symbols: Uint32Array, count: number) => void,
): Promise<boolean> {
  const reader = new BlockReader(scan, lookups);
  for (let unit = 0; unit < scan.units; unit += UNITS) {
    if (unit > 0 && unit % UNITS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const count = reader.read(Math.min(UNITS, scan.units - unit));
    if (count < 0) return false;
    use(reader.symbols, count);
  }
  return true;
}

class Writer {
  /** By key: `length << 16 | code`. */
  readonly #codes = new Uint32Array(KEYS);
  #bytes: Uint8Array;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  /** `size`: of the image as it was, in bytes. */
  constructor(tables: ReadonlyMap<number, HuffmanTable>, size: number) {
    for (const [number, table] of tables) this.#codes.set(codesBySymbol(table), keyOf(number, 0));
    this.#bytes = new Uint8Array(size + 64);
  }

  readonly write = (symbols: Uint32Array, count: number): void => {
    for (let index = 0; index < count; index++) {
      const symbol = symbols[index]!;
      const code = this.#codes[symbol & (KEYS - 1)]!;
      this.#add(code & 0xffff, code >>> 16);
      if ((symbol & 15) > 0) this.#add(symbol >>> BITS_SHIFT, symbol & 15);
    }
  };

  #add(bits: number, length: number): void {
    this.#pending = (this.#pending << length) | bits;
    this.#pendingBits += length;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#append((this.#pending >>> this.#pendingBits) & 0xff);
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }

  #append(byte: number): void {
    if (this.#length + 2 > this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length++] = byte;
    if (byte === 0xff) this.#bytes[this.#length++] = 0;
  }

  /** The data, filled up with ones. */
  end(): Uint8Array {
    if (this.#pendingBits > 0) this.#add((1 << (8 - this.#pendingBits)) - 1, 8 - this.#pendingBits);
    return this.#bytes.subarray(0, this.#length);
  }
}

const tableSegment = (number: number, { counts, symbols }: HuffmanTable): Uint8Array => {
  const length = 3 + 16 + symbols.length;
  return Uint8Array.from([0xff, HUFFMAN_TABLES, length >> 8, length & 0xff, number, ...counts.subarray(1), ...symbols]);
};

/** The same image with shorter codes and without the header of its file format; others than baseline images stay as they are. */
export async function withShortestCodes(bytes: Uint8Array): Promise<Uint8Array> {
  const scan = readScan(bytes);
  if (!scan) return bytes;
  const lookups: Uint16Array[] = [];
  for (const [number, table] of scan.tables) lookups[number] = createLookup(table);
  if (lookups.length > TABLES || scan.blocks.some(({ first, others }) => !lookups[first] || !lookups[others]))
    return bytes;
  const frequencies = new Uint32Array(KEYS);
  const count = (symbols: Uint32Array, length: number): void => {
    for (let index = 0; index < length; index++) frequencies[symbols[index]! & (KEYS - 1)]!++;
  };
  if (!(await readBlocks(scan, lookups, count))) return bytes;
  const tables = new Map(
    [...scan.tables.keys()].map(
      (number) => [number, shortestCodes(frequencies.subarray(keyOf(number, 0), keyOf(number + 1, 0)))] as const,
    ),
  );
  const writer = new Writer(tables, bytes.length);
  await readBlocks(scan, lookups, writer.write);
  const segments = [...tables].map(([number, table]) => tableSegment(number, table));
  const parts = [...scan.kept, ...segments, scan.start, writer.end()];
  const [start, end] = [START_OF_IMAGE, END_OF_IMAGE].map((marker) => Uint8Array.of(0xff, marker));
  return new Uint8Array(Buffer.concat([start!, ...parts, end!]));
}

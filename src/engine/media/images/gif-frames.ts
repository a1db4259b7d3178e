/**
 * Parses GIF files into frames, and decodes their pixels. Own code, since packages for it do not validate compressed data: some
 * invalid files make them loop forever.
 */
import type { Size } from "./image.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Header and screen descriptor, in bytes. */
const HEADER_BYTES = 13;
const MAX_CODES = 4096;
/** A file with more frames is not treated as an image. */
const MAX_FRAMES = 2 ** 16;

export interface GifFrame extends Size {
  readonly x: number;
  readonly y: number;
  /** Red, green and blue for each index. */
  readonly palette: Uint8Array;
  readonly transparent: number | undefined;
  readonly interlaced: boolean;
  /** Hundredths of a second. */
  readonly delay: number;
  readonly disposal: number;
  /** Offset of the compressed pixels: the minimum code size, then blocks. */
  readonly dataAt: number;
}

export interface Gif extends Size {
  readonly frames: readonly GifFrame[];
  /** The number of repetitions; 0: infinite, undefined: none. */
  readonly loops: number | undefined;
}

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Undefined for a truncated file, and for one without frames or with too many. */
export function parseGif(bytes: Buffer): Gif | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let at = HEADER_BYTES + tableBytes(bytes[10] as number);
  const globalPalette = bytes.subarray(HEADER_BYTES, at);
  const frames: GifFrame[] = [];
  let loops: number | undefined;
  let control = { disposal: 0, delay: 0, transparent: undefined as number | undefined };
  const skipBlocks = (): void => {
    while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] as number) + 1;
    at++;
  };
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === TRAILER)
      return frames.length > 0 && width > 0 && height > 0 ? { width, height, frames, loops } : undefined;
    if (kind === EXTENSION && at + 8 <= bytes.length) {
      const label = bytes[at + 1];
      if (label === CONTROL) {
        const flags = bytes[at + 3] as number;
        const transparent = (flags & 1) === 1 ? bytes[at + 6] : undefined;
        control = { disposal: (flags >> 2) & 7, delay: bytes.readUInt16LE(at + 4), transparent };
      } else if (label === APPLICATION && bytes.toString("latin1", at + 3, at + 14) === "NETSCAPE2.0") {
        if (at + 18 <= bytes.length) loops = bytes.readUInt16LE(at + 16);
      }
      at += 2;
    } else if (kind === IMAGE && at + 11 <= bytes.length && frames.length < MAX_FRAMES) {
      const flags = bytes[at + 9] as number;
      const tableLength = tableBytes(flags);
      frames.push({
        ...control,
        x: bytes.readUInt16LE(at + 1),
        y: bytes.readUInt16LE(at + 3),
        width: bytes.readUInt16LE(at + 5),
        height: bytes.readUInt16LE(at + 7),
        palette: tableLength > 0 ? bytes.subarray(at + 10, at + 10 + tableLength) : globalPalette,
        interlaced: (flags & 0x40) !== 0,
        dataAt: at + 10 + tableLength,
      });
      control = { disposal: 0, delay: 0, transparent: undefined };
      at += 11 + tableLength;
    } else return undefined;
    skipBlocks();
  }
  return undefined;
}

/** Yields the codes of a frame's blocks. `state.width`: bits per code, which the caller changes. */
function* readCodes(bytes: Buffer, dataAt: number, state: { width: number }): Generator<number> {
  let [bits, bitCount] = [0, 0];
  for (let at = dataAt; at < bytes.length && bytes[at] !== 0; at += (bytes[at] as number) + 1) {
    const end = Math.min(at + 1 + (bytes[at] as number), bytes.length);
    for (let index = at + 1; index < end; index++) {
      bits |= (bytes[index] as number) << bitCount;
      bitCount += 8;
      while (bitCount >= state.width) {
        const code = bits & ((1 << state.width) - 1);
        bits >>>= state.width;
        bitCount -= state.width;
        yield code;
      }
    }
  }
}

/** Decompresses a frame (LZW) to palette indexes, in the order of the data. Undefined for invalid data. */
export function decodeFrame(bytes: Buffer, { width, height, dataAt }: GifFrame): Uint8Array | undefined {
  const minCodeSize = bytes[dataAt] ?? 0;
  if (minCodeSize < 2 || minCodeSize > 8) return undefined;
  const [clear, end] = [1 << minCodeSize, (1 << minCodeSize) + 1];
  const prefixes = new Uint16Array(MAX_CODES);
  const suffixes = new Uint8Array(MAX_CODES);
  for (let code = 0; code < clear; code++) suffixes[code] = code;
  const pixels = new Uint8Array(width * height);
  const reversed = new Uint8Array(MAX_CODES);
  const state = { width: minCodeSize + 1 };
  let [next, last, first, out] = [end + 1, -1, 0, 0];
  for (const code of readCodes(bytes, dataAt + 1, state)) {
    if (code === end || out === pixels.length) return pixels;
    if (code === clear) {
      state.width = minCodeSize + 1;
      next = end + 1;
      last = -1;
      continue;
    }
    if (code > next || (last < 0 && code >= clear)) return undefined;
    let depth = 0;
    let at = code;
    // the code refers to the entry that it adds: the previous entry, followed by its first index
    if (code === next) {
      reversed[depth++] = first;
      at = last;
    }
    // terminates, since each prefix is an earlier entry
    for (; at >= clear; at = prefixes[at] as number) reversed[depth++] = suffixes[at] as number;
    first = suffixes[at] as number;
    reversed[depth++] = first;
    while (depth > 0 && out < pixels.length) pixels[out++] = reversed[--depth] as number;
    if (last >= 0 && next < MAX_CODES) {
      prefixes[next] = last;
      suffixes[next] = first;
      next++;
      if (next === 1 << state.width && state.width < 12) state.width++;
    }
    last = code;
  }
  return pixels;
}

/** The row of the image for each row of the data: interlaced images have four passes. */
export function rowOrder({ height, interlaced }: GifFrame): number[] {
  const rows = Array.from({ length: height }, (_, row) => row);
  if (!interlaced) return rows;
  const pass = (from: number, step: number): number[] => rows.filter((row) => row % step === from);
  return [...pass(0, 8), ...pass(4, 8), ...pass(2, 4), ...pass(1, 2)];
}

/** Huffman codes of JPEG images: their lookup and the shortest ones for given frequencies (ITU T.81, annexes C, F and K.2). */

const MAX_LENGTH = 16;
/** Keeps the code of ones only unused, as the format requires. */
const RESERVED = 256;

/** As in a file: how many codes there are of each length (index 1 to 16), and their symbols in the order of the codes. */
export interface HuffmanTable {
  readonly counts: Uint8Array;
  readonly symbols: Uint8Array;
}

/** Codes in ascending order, with their lengths and symbols. */
function* listCodes({ counts, symbols }: HuffmanTable): Generator<{ code: number; length: number; symbol: number }> {
  let code = 0;
  let at = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    for (let n = 0; n < counts[length]!; n++) yield { code: code++, length, symbol: symbols[at++]! };
    code <<= 1;
  }
}

/** For each 16 bits: `length << 8 | symbol` of the code that they start with; 0 where there is none. */
export function createLookup(table: HuffmanTable): Uint16Array {
  const lookup = new Uint16Array(1 << MAX_LENGTH);
  for (const { code, length, symbol } of listCodes(table)) {
    const rest = MAX_LENGTH - length;
    lookup.fill((length << 8) | symbol, code << rest, (code + 1) << rest);
  }
  return lookup;
}

/** For each symbol: `length << 16 | code`. */
export function codesBySymbol(table: HuffmanTable): Uint32Array {
  const codes = new Uint32Array(256);
  for (const { code, length, symbol } of listCodes(table)) codes[symbol] = (length << 16) | code;
  return codes;
}

/** The symbol with the lowest frequency above zero, or of several the last one; -1 without one. */
function rarest(frequencies: Float64Array, except: number): number {
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  // an iterator takes ten times as long
  for (let symbol = 0; symbol < frequencies.length; symbol++) {
    const frequency = frequencies[symbol]!;
    if (frequency <= 0 || frequency > least || symbol === except) continue;
    found = symbol;
    least = frequency;
  }
  return found;
}

/** The length of each symbol's code, without a limit. `frequencies` is consumed. */
function lengthsFor(frequencies: Float64Array): Uint16Array {
  const lengths = new Uint16Array(frequencies.length);
  // symbols that share the first bits of their codes
  const groups = Array.from(frequencies, (_, symbol) => [symbol]);
  for (;;) {
    const first = rarest(frequencies, -1);
    const second = rarest(frequencies, first);
    if (second < 0) return lengths;
    frequencies[first]! += frequencies[second]!;
    frequencies[second] = 0;
    groups[first]!.push(...groups[second]!);
    for (const symbol of groups[first]!) lengths[symbol]!++;
  }
}

/** Shortens codes of more than 16 bits: one of a pair takes the place of their prefix, the other one splits a shorter code. */
function limitLengths(counts: number[]): void {
  for (let length = counts.length - 1; length > MAX_LENGTH; length--) {
    while (counts[length]! > 0) {
      let shorter = length - 2;
      while (counts[shorter] === 0) shorter--;
      counts[length]! -= 2;
      counts[length - 1]!++;
      counts[shorter + 1]! += 2;
      counts[shorter]!--;
    }
  }
}

/** The table with the shortest codes for symbols that occur as often as `frequencies` says (256 numbers). */
export function shortestCodes(frequencies: ArrayLike<number>): HuffmanTable {
  const withReserved = new Float64Array(RESERVED + 1);
  withReserved.set(frequencies);
  withReserved[RESERVED] = 1;
  const lengths = lengthsFor(withReserved);
  const longest = lengths.reduce((a, b) => Math.max(a, b), MAX_LENGTH);
  const counts = Array.from({ length: longest + 1 }, () => 0);
  for (const length of lengths) if (length > 0) counts[length]!++;
  limitLengths(counts);
  const last = counts.findLastIndex((count, length) => count > 0 && length <= MAX_LENGTH);
  if (last > 0) counts[last]!--;
  const symbols = Array.from({ length: RESERVED }, (_, symbol) => symbol).filter((symbol) => lengths[symbol]! > 0);
  symbols.sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  return { counts: Uint8Array.from(counts.slice(0, MAX_LENGTH + 1)), symbols: Uint8Array.from(symbols) };
}

/** The curves of a colour profile: how bright each value of a channel is. */
const { fround, floor } = Math;

/** From 0 to 1, with 32 bits. */
export type Curve = (value: number) => number;

/** Values are pairs of 16 bits before and after the point. */
export const fixed = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) / 65536;

/** Adding it leaves 16 bits behind the point, which is how the reference rounds down quickly. */
const ROUNDER = 1.5 * 2 ** 36;

/** To 16 bits. */
export function toWord(value: number): number {
  const rounded = value + 0.5;
  if (rounded <= 0) return 0;
  if (rounded >= 65535) return 65535;
  return floor(rounded - 32767 + ROUNDER - ROUNDER) + 32767;
}

/** Between the points of a table, all in 16 bits. */
export function interpolate(table: Uint16Array, word: number): number {
  const last = table.length - 1;
  if (word === 65535) return table[last] as number;
  const product = last * word;
  const position = product + floor((product + 0x7fff) / 0xffff);
  const low = table[position >>> 16] as number;
  const high = table[(position >>> 16) + 1] as number;
  return low + floor(((high - low) * (position & 0xffff) + 0x8000) / 65536);
}

const power = (base: number, exponent: number): number => (base > 0 ? base ** exponent : 0);

/** By the number of the kind in the file: how a curve follows from its parameters. */
const parametric: readonly ((params: readonly number[]) => Curve)[] = [
  ([g = 1]) =>
    (x) =>
      power(x, g),
  ([g = 1, a = 1, b = 0]) =>
    (x) =>
      x >= -b / a ? power(a * x + b, g) : 0,
  ([g = 1, a = 1, b = 0, c = 0]) =>
    (x) =>
      x >= Math.max(0, -b / a) ? power(a * x + b, g) + c : c,
  ([g = 1, a = 1, b = 0, c = 0, d = 0]) =>
    (x) =>
      x >= d ? power(a * x + b, g) : c * x,
  ([g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0]) =>
    (x) =>
      x >= d ? power(a * x + b, g) + e : c * x + f,
];
const paramCounts = [1, 3, 4, 5, 7] as const;

/** As many points as the reference reads. */
const MAX_POINTS = 0x7fff;

function tableCurve(tag: Buffer): Curve | undefined {
  const count = tag.readUInt32BE(8);
  if (count > MAX_POINTS) return undefined;
  const gamma = count === 0 ? 1 : tag.readUInt16BE(12) / 256;
  if (count <= 1) return (value) => fround(power(value, gamma));
  const table = Uint16Array.from({ length: count }, (_, at) => tag.readUInt16BE(12 + at * 2));
  return (value) => fround(interpolate(table, toWord(value * 65535)) / 65535);
}

/** Throws a RangeError for one that breaks off. */
export function readCurve(tag: Buffer): Curve | undefined {
  const name = tag.toString("latin1", 0, 4);
  if (name === "curv") return tableCurve(tag);
  const kind = tag.readUInt16BE(8);
  const [create, count] = [parametric[kind], paramCounts[kind]];
  if (name !== "para" || !create || !count) return undefined;
  const curve = create(Array.from({ length: count }, (_, at) => fixed(tag, 12 + at * 4)));
  return (value) => fround(curve(value));
}

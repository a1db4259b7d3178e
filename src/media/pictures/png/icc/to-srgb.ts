/**
 * Converts pixels from a colour profile to sRGB, to the same bytes as Little CMS in the reference. It knows the profiles
 * of screens and cameras, which are three curves and a matrix; others it leaves alone. A black that is brighter than 0
 * stays so, which the reference would make darker. After Little CMS 2.19, whose licence is in the LICENSE beside this.
 */
import { type Curve, interpolate, toWord } from "./curves.ts";
import { type Matrix, readProfile } from "./profile.ts";

const { fround, floor } = Math;

/** The sRGB profile that the reference converts to. */
const SRGB_MATRIX: Matrix = [0x6fa0, 0x6296, 0x24a0, 0x38f2, 0xb789, 0x0f85, 0x038f, 0x18da, 0xb6c4].map(
  (value) => value / 65536,
);
const [SRGB_GAMMA, SRGB_SCALE, SRGB_OFFSET, SRGB_SLOPE, SRGB_END] = [
  0x26669 / 65536,
  0xf2a7 / 65536,
  0x0d59 / 65536,
  0x13d0 / 65536,
  0x0a5b / 65536,
] as const;
const SRGB_BEND = (SRGB_SCALE * SRGB_END + SRGB_OFFSET) ** SRGB_GAMMA;

/** The brightest value that two profiles can hand over. */
const BRIGHTEST = 1 + 32767 / 32768;
const STEPS = 16_384;
const JOINED_POINTS = 4096;
/** Differences that the reference takes for none: of a matrix's numbers, and of values of 16 bits. */
const SAME_NUMBER = 1 / 65535;
const SAME_VALUE = 15;

const wordToByte = (word: number): number => floor((word * 65281 + 8388608) / 2 ** 24) & 0xff;

const fromSrgb: Curve = (value) =>
  fround(value >= SRGB_BEND ? (value ** (1 / SRGB_GAMMA) - SRGB_OFFSET) / SRGB_SCALE : value / SRGB_SLOPE);

function multiply(one: Matrix, other: Matrix): number[] {
  const at = (matrix: Matrix, row: number, column: number): number => matrix[row * 3 + column] as number;
  return [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map(
      (column) =>
        at(one, row, 0) * at(other, 0, column) +
        at(one, row, 1) * at(other, 1, column) +
        at(one, row, 2) * at(other, 2, column),
    ),
  );
}

function invert(matrix: Matrix): number[] {
  const [a, b, c, d, e, f, g, h, i] = matrix as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [x, y, z] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const determinant = a * x + b * y + c * z;
  return [x, c * h - b * i, b * f - c * e, y, a * i - c * g, c * d - a * f, z, b * g - a * h, a * e - b * d].map(
    (value) => value / determinant,
  );
}

/** For primaries like those of sRGB: each channel by itself. Undefined where nothing would change. */
function joinCurves(curves: readonly Curve[]): Uint8Array[] | undefined {
  const tables = curves.map((curve) =>
    Uint16Array.from({ length: JOINED_POINTS }, (_, at) =>
      toWord(fromSrgb(curve(fround(at / (JOINED_POINTS - 1)))) * 65535),
    ),
  );
  const isLinear = (table: Uint16Array): boolean =>
    table.every((value, at) => Math.abs(value - toWord((at * 65535) / (JOINED_POINTS - 1))) <= SAME_VALUE);
  if (tables.every(isLinear)) return undefined;
  return tables.map((table) => Uint8Array.from({ length: 256 }, (_, at) => wordToByte(interpolate(table, at * 257))));
}

const toSteps = (value: number): number => floor(value * STEPS + 0.5);
const clamp = (value: number): number => Math.max(0, Math.min(value, STEPS));

function convertByMatrix(rgba: Uint8Array, curves: readonly Curve[], matrix: Matrix): void {
  const [red, green, blue] = curves.map((curve) =>
    Int32Array.from({ length: 256 }, (_, byte) => toSteps(curve(fround(byte / 255)))),
  ) as [Int32Array, Int32Array, Int32Array];
  const factors = Int32Array.from(matrix, toSteps);
  const bytes = Uint8Array.from({ length: STEPS + 1 }, (_, step) =>
    wordToByte(toWord(Math.max(0, Math.min(fromSrgb(fround(step / STEPS)), 1)) * 65535)),
  );
  for (let at = 0; at < rgba.length; at += 4) {
    const r = red[rgba[at] as number] as number;
    const g = green[rgba[at + 1] as number] as number;
    const b = blue[rgba[at + 2] as number] as number;
    for (let channel = 0; channel < 3; channel++) {
      const row = channel * 3;
      const sum = (factors[row] as number) * r + (factors[row + 1] as number) * g + (factors[row + 2] as number) * b;
      rgba[at + channel] = bytes[clamp((sum + STEPS / 2) >> 14)] as number;
    }
  }
}

function convertByCurves(rgba: Uint8Array, curves: readonly Curve[]): void {
  const tables = joinCurves(curves);
  if (!tables) return;
  for (const [channel, table] of tables.entries()) {
    for (let at = channel; at < rgba.length; at += 4) rgba[at] = table[rgba[at] as number] as number;
  }
}

/** In place. Pixels stay as they are for a profile that is none, or of a kind that is not known here. */
export function convertToSrgb(rgba: Uint8Array, bytes: Buffer): void {
  const profile = readProfile(bytes);
  if (!profile) return;
  const inward = profile.matrix.map((value) => value / BRIGHTEST);
  const outward = invert(SRGB_MATRIX).map((value) => value * BRIGHTEST);
  const matrix = multiply(outward, inward);
  const isIdentity = matrix.every((value, at) => Math.abs(value - (at % 4 === 0 ? 1 : 0)) < SAME_NUMBER);
  if (isIdentity) convertByCurves(rgba, profile.curves);
  else convertByMatrix(rgba, profile.curves, matrix);
}

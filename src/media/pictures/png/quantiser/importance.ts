/** Where colours matter: smooth areas show a wrong colour, noisy ones hide it. */
import type { Size } from "../../picture.ts";
import { blur, darken, lighten } from "./blur.ts";
import { COLOUR, toColours } from "./colour.ts";

const { fround, abs, max, min } = Math;

export interface Importance {
  /** 255 is smooth and 0 is noise; edges are not noise. */
  readonly smooth: Uint8Array;
  /** The same, with edges. */
  readonly even: Uint8Array;
}

const SMALLEST_SIDE = 4;
/** Of larger pictures the reference makes no maps. */
const MAX_PIXELS = 2 ** 26 / 3;
/** From here on the reference keeps one row only, and takes it for the one above and the one below as well. */
const MAX_KEPT_PIXELS = 2 ** 22;
const BLUR_RADIUS = 3;

/** How much a pixel differs from the middle between two others, in the channel where that is most. */
function contrast(row: Float32Array, at: number, x: Float32Array, xAt: number, y: Float32Array, yAt: number): number {
  let most = 0;
  for (let channel = 0; channel < COLOUR; channel++) {
    const middle = fround((x[xAt + channel] as number) + (y[yAt + channel] as number));
    const apart = abs(fround(middle - fround((row[at + channel] as number) * 2)));
    if (apart > most) most = apart;
  }
  return most;
}

const toByte = (value: number): number => (value < 256 ? value : 255);

function measureContrasts(rgba: Uint8Array, { width, height }: Size, smooth: Uint8Array, even: Uint8Array): void {
  const kept = width * height <= MAX_KEPT_PIXELS;
  const rows = [0, 1, 2].map(() => new Float32Array(width * COLOUR)) as [Float32Array, Float32Array, Float32Array];
  let [above, row, below] = kept ? rows : [rows[0], rows[0], rows[0]];
  toColours(rgba, 0, width, below);
  row.set(below);
  for (let y = 0, out = 0; y < height; y++) {
    if (kept) [above, row, below] = [row, below, above];
    toColours(rgba, min(height - 1, y + 1) * width, width, below);
    for (let x = 0; x < width; x++, out++) {
      const at = x * COLOUR;
      const across = contrast(row, at, row, max(0, x - 1) * COLOUR, row, min(width - 1, x + 1) * COLOUR);
      const down = contrast(row, at, above, at, below, at);
      const edge = max(across, down);
      const line = fround(edge - fround(abs(fround(across - down)) * 0.5));
      const calm = fround(1 - max(line, min(across, down)));
      const squared = fround(calm * calm);
      smooth[out] = toByte(fround(squared * squared) * 256);
      even[out] = toByte(fround(1 - edge) * 256);
    }
  }
}

/** Undefined for pictures that are too small for it, or too large. */
export function mapImportance(rgba: Uint8Array, size: Size): Importance | undefined {
  const { width, height } = size;
  const pixels = width * height;
  if (width < SMALLEST_SIDE || height < SMALLEST_SIDE || pixels > MAX_PIXELS) return undefined;
  const smooth = new Uint8Array(pixels);
  const even = new Uint8Array(pixels);
  const scratch = new Uint8Array(pixels);
  measureContrasts(rgba, size, smooth, even);
  // noisy areas shrink and then grow, so that thin lines are none
  lighten(smooth, scratch, size);
  lighten(scratch, smooth, size);
  blur(smooth, scratch, size, BLUR_RADIUS);
  lighten(smooth, scratch, size);
  darken(scratch, smooth, size);
  darken(smooth, scratch, size);
  darken(scratch, smooth, size);
  darken(even, scratch, size);
  lighten(scratch, even, size);
  for (let at = 0; at < pixels; at++) even[at] = min(smooth[at] as number, even[at] as number);
  return { smooth, even };
}

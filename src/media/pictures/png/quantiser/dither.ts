/** Gives each pixel its palette's index, and carries what is wrong with it on to its neighbours (Floyd and Steinberg). */
import type { Size } from "../../picture.ts";
import { COLOUR, toColours } from "./colour.ts";
import { Nearest } from "./nearest.ts";
import type { Palette } from "./palette.ts";
import { createRandom } from "./random.ts";

const { fround, min, max } = Math;

const SEED = 12345;
/** Keeps small errors from adding up. */
const LEVEL = 15 / 16;
/** Channels may go this far, which prevents bands where all of them would be cut off. */
const OVERFLOW = 1.03;
/** Errors below it are not seen. */
const NEGLIGIBLE = 2 / 65536;
/** Larger errors than this are not carried on in full, relative to the error of the picture. */
const ERROR_SHARE = 2.4;
const LEAST_MAX_ERROR = 16 / 256;

/** How much of an error keeps the channel within its bounds, at most `ratio`. */
function withinBounds(channel: number, error: number, ratio: number): number {
  const sum = fround(channel + error);
  if (sum > OVERFLOW) return fround(min(ratio, (OVERFLOW - channel) / error));
  if (sum < 0) return min(ratio, fround(channel / -error));
  return ratio;
}

const clampAlpha = (alpha: number): number => max(0, min(alpha, 1));

const energy = (a: number, r: number, g: number, b: number): number =>
  fround(fround(fround(fround(r * r) + fround(g * g)) + fround(b * b)) + fround(a * a));

/** Adds a share of an error. */
function carry(errors: Float32Array, at: number, error: Float32Array, share: number): void {
  errors[at] = (errors[at] as number) + fround((error[0] as number) * share);
  errors[at + 1] = (errors[at + 1] as number) + fround((error[1] as number) * share);
  errors[at + 2] = (errors[at + 2] as number) + fround((error[2] as number) * share);
  errors[at + 3] = (errors[at + 3] as number) + fround((error[3] as number) * share);
}

/** Errors of one row, with a place more at each side; the first ones are by chance. */
function createErrors(width: number): Float32Array {
  const random = createRandom(SEED);
  const errors = new Float32Array((width + 2) * COLOUR);
  for (let at = 0; at < errors.length; at += COLOUR) {
    for (const channel of [1, 2, 3, 0]) errors[at + channel] = random() / 255;
  }
  return errors;
}

export interface DitherOptions {
  /** The average difference of the pixels without dithering. */
  readonly error: number;
  /** How much to dither at each pixel, of 255; the indexes are what the pixels are without dithering. */
  readonly map: Uint8Array | undefined;
}

class Ditherer {
  readonly #width: number;
  readonly #nearest: Nearest;
  readonly #colours: Float32Array;
  readonly #map: Uint8Array | undefined;
  readonly #level: number;
  /** What is more than this is not carried on in full. */
  readonly #mostError: number;
  readonly #row: Float32Array;
  /** The pixel with the errors of its neighbours, and then its own error. */
  readonly #pixel = new Float32Array(COLOUR);
  #errors: Float32Array;
  #errorsBelow: Float32Array;
  #index = 0;

  constructor(width: number, palette: Palette, { error, map }: DitherOptions) {
    this.#width = width;
    this.#nearest = new Nearest(palette, false);
    this.#colours = palette.colours;
    this.#map = map;
    this.#level = fround(map ? fround(1 / 255) * LEVEL : LEVEL);
    this.#mostError = fround(max(error * ERROR_SHARE, LEAST_MAX_ERROR));
    this.#row = new Float32Array(width * COLOUR);
    this.#errors = createErrors(width);
    this.#errorsBelow = new Float32Array(this.#errors.length);
  }

  /** `step` is 1 for to and -1 for fro. */
  ditherRow(rgba: Uint8Array, y: number, step: number, indexes: Uint8Array): void {
    const width = this.#width;
    toColours(rgba, y * width, width, this.#row);
    this.#errorsBelow.fill(0);
    for (let x = step > 0 ? 0 : width - 1; x >= 0 && x < width; x += step) {
      const at = y * width + x;
      const level = this.#map ? fround(this.#level * (this.#map[at] as number)) : this.#level;
      this.#addErrors(x * COLOUR, level);
      this.#index = this.#find(this.#map ? (indexes[at] as number) : this.#index);
      indexes[at] = this.#index;
      this.#takeError(this.#index * COLOUR, level);
      this.#carryOn((x + 1) * COLOUR, step * COLOUR);
    }
    const errors = this.#errors;
    this.#errors = this.#errorsBelow;
    this.#errorsBelow = errors;
  }

  #addErrors(at: number, level: number): void {
    const errors = this.#errors;
    const row = this.#row;
    const pixel = this.#pixel;
    const errorA = fround((errors[at + 4] as number) * level);
    const errorR = fround((errors[at + 5] as number) * level);
    const errorG = fround((errors[at + 6] as number) * level);
    const errorB = fround((errors[at + 7] as number) * level);
    const a = row[at] as number;
    const r = row[at + 1] as number;
    const g = row[at + 2] as number;
    const b = row[at + 3] as number;
    const sum = energy(errorA, errorR, errorG, errorB);
    let ratio = 0;
    if (sum >= NEGLIGIBLE) {
      ratio = withinBounds(b, errorB, withinBounds(g, errorG, withinBounds(r, errorR, 1)));
      if (sum > this.#mostError) ratio = fround(ratio * 0.8);
    }
    pixel[0] = sum >= NEGLIGIBLE ? clampAlpha(fround(a + errorA)) : a;
    pixel[1] = r + fround(errorR * ratio);
    pixel[2] = g + fround(errorG * ratio);
    pixel[3] = b + fround(errorB * ratio);
  }

  #find(guess: number): number {
    const pixel = this.#pixel;
    const a = pixel[0] as number;
    const r = pixel[1] as number;
    const g = pixel[2] as number;
    const b = pixel[3] as number;
    return this.#nearest.find(a, r, g, b, guess);
  }

  /** How far the pixel is from the colour that it got. */
  #takeError(at: number, level: number): void {
    const colours = this.#colours;
    const pixel = this.#pixel;
    const alpha = colours[at] as number;
    const a = fround((pixel[0] as number) - alpha);
    const r = fround((pixel[1] as number) - (colours[at + 1] as number));
    const g = fround((pixel[2] as number) - (colours[at + 2] as number));
    const b = fround((pixel[3] as number) - (colours[at + 3] as number));
    const share = energy(a, r, g, b) > this.#mostError ? fround(level * 0.75) : level;
    const colourShare = fround(fround(fround(3 + alpha) / 4) * share);
    pixel[0] = a * share;
    pixel[1] = r * colourShare;
    pixel[2] = g * colourShare;
    pixel[3] = b * colourShare;
  }

  #carryOn(at: number, ahead: number): void {
    carry(this.#errors, at + ahead, this.#pixel, 7 / 16);
    carry(this.#errorsBelow, at + ahead, this.#pixel, 1 / 16);
    carry(this.#errorsBelow, at, this.#pixel, 5 / 16);
    carry(this.#errorsBelow, at - ahead, this.#pixel, 3 / 16);
  }
}

export function dither(
  rgba: Uint8Array,
  { width, height }: Size,
  palette: Palette,
  options: DitherOptions,
  indexes: Uint8Array,
): void {
  const ditherer = new Ditherer(width, palette, options);
  for (let y = 0; y < height; y++) ditherer.ditherRow(rgba, y, y % 2 === 0 ? 1 : -1, indexes);
}

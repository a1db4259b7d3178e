/** Gives each pixel its palette's index, without dithering, and tells from that where dithering is needed. */
import type { Size } from "../../picture.ts";
import { COLOUR, toColours } from "./colour.ts";
import { Averages } from "./k-means.ts";
import { Nearest } from "./nearest.ts";
import type { Palette } from "./palette.ts";

const { fround } = Math;

/** Moves the palette's colours a last time. The average difference of the pixels. */
export function remap(
  rgba: Uint8Array,
  { width, height }: Size,
  palette: Palette,
  isRough: boolean,
  indexes: Uint8Array,
): number {
  const nearest = new Nearest(palette, isRough);
  const averages = new Averages(palette.size);
  const row = new Float32Array(width * COLOUR);
  let error = 0;
  for (let y = 0, out = 0; y < height; y++) {
    toColours(rgba, y * width, width, row);
    let index = 0;
    for (let at = 0; at < row.length; at += COLOUR) {
      const a = row[at] as number;
      const r = row[at + 1] as number;
      const g = row[at + 2] as number;
      const b = row[at + 3] as number;
      index = nearest.find(a, r, g, b, index);
      indexes[out++] = index;
      error += nearest.distance;
      averages.add(index, row, at, 1);
    }
  }
  averages.moveTo(palette);
  return fround(error / (width * height));
}

/** Of the pixels of a run, how many above and below have the same index. */
function neighbours(indexes: Uint8Array, { width, height }: Size, y: number, from: number, to: number): number {
  const index = indexes[y * width + from];
  let count = 0;
  for (let at = y * width + from; at < y * width + to; at++) {
    if (y > 0 && indexes[at - width] === index) count++;
    if (y < height - 1 && indexes[at + width] === index) count++;
  }
  return count;
}

/** Makes `even` a map of where to dither: more in long runs of one index. */
export function limitDithering(even: Uint8Array, indexes: Uint8Array, size: Size): void {
  const { width, height } = size;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let last = indexes[row];
    let from = 0;
    for (let x = 1; x < width; x++) {
      const index = indexes[row + x];
      if (index === last && x < width - 1) continue;
      const count = 2.5 + x - from + neighbours(indexes, size, y, from, x);
      const share = fround(1 - fround(2.5 / count));
      // the pixel that ends the run is in it, and in no other
      for (; from <= x; from++) {
        even[row + from] = fround(fround(fround((even[row + from] as number) / 255) * share) * 255);
      }
      last = index;
    }
  }
}

/** Scales pixels down: each new pixel is the average of the area that it covers. */
import type { Size } from "./image.ts";

interface SourceRange {
  readonly first: number;
  /** Weights of the source pixels from `first` on; their sum is 1. */
  readonly weights: readonly number[];
}

function sourceRanges(from: number, to: number): SourceRange[] {
  const step = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [start, end] = [index * step, Math.min((index + 1) * step, from)];
    const first = Math.floor(start);
    const weights: number[] = [];
    for (let at = first; at < end; at++) weights.push((Math.min(at + 1, end) - Math.max(at, start)) / (end - start));
    return { first, weights };
  });
}

/** RGBA to RGBA. Colours are weighted by their alpha value. */
export function shrink(pixels: Uint8Array, from: Size, to: Size): Uint8Array {
  const rows = new Float32Array(to.width * from.height * 4);
  const columns = sourceRanges(from.width, to.width);
  for (let y = 0, out = 0; y < from.height; y++) {
    for (const { first, weights } of columns) {
      let at = (y * from.width + first) * 4;
      for (const weight of weights) {
        const alpha = (pixels[at + 3] as number) * weight;
        rows[out] = (rows[out] as number) + (pixels[at] as number) * alpha;
        rows[out + 1] = (rows[out + 1] as number) + (pixels[at + 1] as number) * alpha;
        rows[out + 2] = (rows[out + 2] as number) + (pixels[at + 2] as number) * alpha;
        rows[out + 3] = (rows[out + 3] as number) + alpha;
        at += 4;
      }
      out += 4;
    }
  }
  const result = new Uint8Array(to.width * to.height * 4);
  const sums = new Float32Array(to.width * 4);
  for (const [y, { first, weights }] of sourceRanges(from.height, to.height).entries()) {
    sums.fill(0);
    for (const [index, weight] of weights.entries()) {
      const at = (first + index) * sums.length;
      for (let x = 0; x < sums.length; x++) sums[x] = (sums[x] as number) + (rows[at + x] as number) * weight;
    }
    const out = y * sums.length;
    for (let x = 0; x < sums.length; x += 4) {
      const alpha = sums[x + 3] as number;
      result[out + x + 3] = Math.round(alpha);
      if (alpha === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        result[out + x + channel] = Math.round((sums[x + channel] as number) / alpha);
      }
    }
  }
  return result;
}

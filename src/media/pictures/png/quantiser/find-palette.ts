/** Searches the palette with the least error, and the fewest colours where that is good enough. */
import { ENTRY, type Histogram, MARK, OWN_WEIGHT, WEIGHT } from "./histogram.ts";
import { iterate } from "./k-means.ts";
import { medianCut } from "./median-cut.ts";
import { inOrder, type Palette } from "./palette.ts";
import { ENDLESS } from "./regions.ts";

const { fround, max, min, abs } = Math;

const MAX_COLOURS = 256;
/** All these are what the reference takes for its usual effort. */
const TRIALS = 20;
const ITERATIONS = 12;
const ITERATION_LIMIT = 2 ** -19;
/** No error below this can be seen. */
const LEAST_ERROR = (1 / 1024) ** 2;

/** The average error that is good enough. */
function targetFor(quality: number): number {
  const fudge = max(0, 0.016 / (0.001 + quality) - 0.001);
  return max(LEAST_ERROR, fudge + ((2.5 / (210 + quality) ** 1.2) * (100.1 - quality)) / 100);
}

/** After a trial that led nowhere, colours count less for having been hard to match. */
function calm({ values }: Histogram): void {
  for (let at = 0; at < values.length; at += ENTRY) {
    values[at + WEIGHT] = fround((values[at + OWN_WEIGHT] as number) + (values[at + WEIGHT] as number)) / 2;
  }
}

/** Each trial cuts with weights that the errors of the last one have changed. */
function tryPalettes(histogram: Histogram, target: number): Palette {
  let best: Palette | undefined;
  let least = ENDLESS;
  let colours = MAX_COLOURS;
  let overshoot = 1.05;
  for (let trials = TRIALS; trials > 0 || !best; ) {
    const worst = max(90 / 65536, target, least) * 1.2;
    const palette = medianCut(histogram, { colours, error: target * overshoot, worst });
    const error = iterate(histogram, palette, { isRough: !best, adjusts: best !== undefined });
    if (!best || error < least || (error <= target && palette.size < colours)) {
      best = palette;
      // moving the colours makes them better than the cut aims at
      if (error < target && error > 0) overshoot = min(overshoot * 1.25, target / error);
      least = error;
      // few colours stay few, with one to spare
      colours = min(palette.size + 1, colours);
      trials--;
    } else {
      calm(histogram);
      overshoot = 1;
      trials -= error > least * 4 ? 9 : 6;
    }
  }
  return best;
}

/** Until moving the colours makes no difference any more. */
function settle(histogram: Histogram, palette: Palette): number {
  const { values, whole } = histogram;
  for (let at = MARK; at < values.length; at += ENTRY) {
    if ((whole[at] as number) >= palette.size) whole[at] = 0;
  }
  let previous = ENDLESS;
  let error = previous;
  for (let turn = 0; turn < ITERATIONS; turn++) {
    error = iterate(histogram, palette, { isRough: turn === 0, adjusts: false });
    if (abs(previous - error) < ITERATION_LIMIT) break;
    previous = error;
  }
  return error;
}

export function findPalette(histogram: Histogram, quality: number): { palette: Palette; error: number } {
  const palette = tryPalettes(histogram, targetFor(quality));
  const error = fround(settle(histogram, palette));
  return { palette: inOrder(palette), error };
}

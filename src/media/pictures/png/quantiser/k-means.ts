/** Moves each colour of a palette to the average of what maps to it. */
import { COLOUR } from "./colour.ts";
import { ENTRY, type Histogram, MARK, OWN_WEIGHT, WEIGHT } from "./histogram.ts";
import { Nearest } from "./nearest.ts";
import type { Palette } from "./palette.ts";

const { fround, sqrt } = Math;

/** Numbers of one sum: the colour, and the weight. */
const SUM = COLOUR + 1;

/** What maps to each colour, added up. */
export class Averages {
  readonly #sums: Float64Array;

  constructor(size: number) {
    this.#sums = new Float64Array(size * SUM);
  }

  add(index: number, colours: Float32Array, at: number, weight: number): void {
    const sums = this.#sums;
    const sum = index * SUM;
    sums[sum] = (sums[sum] as number) + fround((colours[at] as number) * weight);
    sums[sum + 1] = (sums[sum + 1] as number) + fround((colours[at + 1] as number) * weight);
    sums[sum + 2] = (sums[sum + 2] as number) + fround((colours[at + 2] as number) * weight);
    sums[sum + 3] = (sums[sum + 3] as number) + fround((colours[at + 3] as number) * weight);
    sums[sum + 4] = (sums[sum + 4] as number) + weight;
  }

  /** Colours that nothing maps to stay as they are. */
  moveTo({ size, colours, popularity }: Palette): void {
    for (let index = 0; index < size; index++) {
      const sum = index * SUM;
      const weight = this.#sums[sum + COLOUR] as number;
      popularity[index] = weight || index / 1024;
      if (weight === 0) continue;
      for (let channel = 0; channel < COLOUR; channel++) {
        colours[index * COLOUR + channel] = (this.#sums[sum + channel] as number) / weight;
      }
    }
  }
}

export interface IterationOptions {
  readonly isRough: boolean;
  /** Whether entries that are far from their colour shall count more. */
  readonly adjusts: boolean;
}

/** The average error that the palette had before it was moved. */
export function iterate(histogram: Histogram, palette: Palette, { isRough, adjusts }: IterationOptions): number {
  const { values, whole, totalWeight } = histogram;
  const nearest = new Nearest(palette, isRough);
  const averages = new Averages(palette.size);
  let error = 0;
  for (let at = 0; at < values.length; at += ENTRY) {
    const a = values[at] as number;
    const r = values[at + 1] as number;
    const g = values[at + 2] as number;
    const b = values[at + 3] as number;
    const index = nearest.find(a, r, g, b, whole[at + MARK] as number);
    whole[at + MARK] = index;
    const weight = values[at + OWN_WEIGHT] as number;
    error += fround(nearest.distance * weight);
    averages.add(index, values, at, weight);
    if (adjusts) {
      const more = fround(sqrt(fround(1 + nearest.distance)));
      values[at + WEIGHT] = fround(weight + (values[at + WEIGHT] as number)) * more;
    }
  }
  averages.moveTo(palette);
  return error / totalWeight;
}

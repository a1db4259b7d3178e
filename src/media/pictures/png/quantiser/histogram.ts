/** The colours of a picture, each with its weight: in how many pixels it is, and how much those matter. */
import type { Size } from "../../picture.ts";
import { COLOUR, toColours } from "./colour.ts";
import { countColours } from "./colour-counts.ts";

const { fround } = Math;

/** Floats of one entry: its colour, then these. */
export const ENTRY = 8;
/** The weight that the search for a palette changes as it goes. */
export const WEIGHT = 4;
export const OWN_WEIGHT = 5;
/** How much the entry counts when its box is cut in two. */
export const CUT_WEIGHT = 6;
/** In `whole`: what a box is sorted by, and afterwards the palette's colour that the entry is likely to get. */
export const MARK = 7;

export interface Histogram {
  readonly size: number;
  /** Entries with all they have in one place, since they move as wholes. */
  readonly values: Float32Array;
  /** The same memory as integers. */
  readonly whole: Int32Array;
  readonly totalWeight: number;
  /** Whether colours were made coarser, since there were too many. */
  readonly isCoarse: boolean;
}

/** One colour may not have more than this share of all pixels. */
const MAX_SHARE = fround(0.1);

export function createHistogram(rgba: Uint8Array, { width, height }: Size, importance?: Uint8Array): Histogram {
  const { colours, weights, droppedBits } = countColours(rgba, importance);
  const size = colours.length;
  const converted = new Float32Array(size * COLOUR);
  toColours(new Uint8Array(colours.buffer), 0, size, converted);
  const values = new Float32Array(size * ENTRY);
  const most = fround(fround(MAX_SHARE * width) * height);
  let totalWeight = 0;
  for (let entry = 0; entry < size; entry++) {
    const at = entry * ENTRY;
    const weight = Math.min(weights[entry] as number, most);
    for (let channel = 0; channel < COLOUR; channel++) {
      values[at + channel] = converted[entry * COLOUR + channel] as number;
    }
    values[at + WEIGHT] = weight;
    values[at + OWN_WEIGHT] = weight;
    totalWeight += weight;
  }
  return { size, values, whole: new Int32Array(values.buffer), totalWeight, isCoarse: droppedBits > 0 };
}

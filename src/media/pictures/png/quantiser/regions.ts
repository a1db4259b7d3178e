/** Parts of the space of colours, each with the palette's colours among which the nearest one is looked for. */
import { COLOUR, difference, leastDifference } from "./colour.ts";
import type { Palette } from "./palette.ts";

const { fround } = Math;

/** Larger than any difference. */
export const ENDLESS = 1e20;
/** By how much the reference expects differences to be wrong. */
const MARGIN = 8 / 65536;

/** Colours that are nearer to `at` than the radius find their nearest one among the candidates. */
export interface Region {
  readonly at: Float32Array;
  readonly radius: number;
  /** The candidates in the palette, nearest to `at` first. */
  readonly indexes: Uint16Array;
  /** How far away each colour of the palette is. */
  readonly distances: Float32Array;
}

/** A quarter of the distance to the next colour, for each. */
export function quarterDistances({ colours, size }: Palette): Float64Array {
  const quarters = new Float64Array(size).fill(fround(ENDLESS) / 4);
  for (let index = 0; index < size; index++) {
    const at = index * COLOUR;
    const a = colours[at] as number;
    const r = colours[at + 1] as number;
    const g = colours[at + 2] as number;
    const b = colours[at + 3] as number;
    for (let other = 0; other < index; other++) {
      const quarter = difference(colours, other * COLOUR, a, r, g, b) / 4;
      if (quarter < (quarters[index] as number)) quarters[index] = quarter;
      if (quarter < (quarters[other] as number)) quarters[other] = quarter;
    }
  }
  return quarters;
}

/** The palette's colours that were not left out, nearest first and of equal ones the first first. */
function sortByDistance({ colours, size }: Palette, at: Float32Array, isLeftOut: Uint8Array) {
  const a = at[0] as number;
  const r = at[1] as number;
  const g = at[2] as number;
  const b = at[3] as number;
  const distances = new Float32Array(size);
  const bits = new Uint32Array(distances.buffer);
  const keys = new Float64Array(size);
  let count = 0;
  for (let index = 0; index < size; index++) {
    distances[index] = difference(colours, index * COLOUR, a, r, g, b);
    if (isLeftOut[index]) continue;
    // the bits of positive floats are in the floats' order
    keys[count++] = (bits[index] as number) * 256 + index;
  }
  const sorted = keys.subarray(0, count).sort();
  const indexes = new Uint16Array(count);
  for (let place = 0; place < count; place++) indexes[place] = (sorted[place] as number) % 256;
  return { indexes, distances };
}

function createRegion(palette: Palette, at: Float32Array, most: number, margin: number, isLeftOut: Uint8Array): Region {
  const { indexes: sorted, distances } = sortByDistance(palette, at, isLeftOut);
  const indexes = sorted.subarray(0, most);
  const last = indexes[indexes.length - 1] as number;
  // half of the way to the last one: nothing within it can be nearer to a colour that is none of these
  const radius = fround(leastDifference(at, 0, palette.colours, last * COLOUR) / 4);
  const inner = fround(fround(radius / 4) - margin);
  // what is well inside need not be looked for in other regions
  for (const index of indexes) if ((distances[index] as number) < inner) isLeftOut[index] = 1;
  return { at, radius, indexes, distances };
}

export function createRegions(palette: Palette, isRough: boolean): Region[] {
  const { size } = palette;
  const points = palette.subset ?? palette.colours.subarray(0, Math.floor((size + 3) / 4) * COLOUR);
  const count = size > 16 ? Math.min(Math.floor(size / (isRough ? 4 : 3)), points.length / COLOUR) : 0;
  const margin = isRough ? 0 : MARGIN;
  const isLeftOut = new Uint8Array(size);
  const regions: Region[] = [];
  let left = size;
  for (let index = 0; index < count; index++) {
    const most = 1 + Math.floor(left / Math.floor((1 + count - index) / 2));
    const point = points.slice(index * COLOUR, (index + 1) * COLOUR);
    regions.push(createRegion(palette, point, most, margin, isLeftOut));
    left = isLeftOut.reduce((rest, isOut) => rest - isOut, size);
  }
  // the last region is everywhere, and has all colours where it matters
  if (!isRough) isLeftOut.fill(0);
  const everywhere = createRegion(palette, new Float32Array(COLOUR), size, margin, isLeftOut);
  return [...regions, { ...everywhere, radius: ENDLESS }];
}

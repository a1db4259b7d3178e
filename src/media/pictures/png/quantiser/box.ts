/** Boxes of colours: what is in them, and how they are cut in two. */
import { COLOUR, type Colour, difference } from "./colour.ts";
import { CUT_WEIGHT, ENTRY, type Histogram, MARK, WEIGHT } from "./histogram.ts";
import { sortUntil, sortUntilWeight } from "./partition.ts";

const { fround, sqrt } = Math;

/** A range of the histogram. */
export interface Box {
  readonly first: number;
  readonly count: number;
  readonly weight: number;
  readonly colour: Colour;
  readonly variance: Colour;
  /** The difference of the colour that is farthest away. */
  readonly worst: number;
  /** Undefined until it is asked for. */
  error?: number;
}

export const GREY: Colour = { a: 0.5, r: 0.5, g: 0.5, b: 0.5 };
const OPAQUE = 255 / 256;
/** Differences below this need no further cuts. */
const GOOD_ENOUGH = 2 / 65536;

const square = (value: number): number => fround(value * value);

/** The alpha of all together; opaque where one of them is and rounding brings it there. */
function averageAlpha({ values }: Histogram, first: number, count: number): number {
  let alpha = 0;
  let weight = 0;
  let most = 0;
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    const own = values[at] as number;
    alpha = fround(alpha + fround(own * (values[at + WEIGHT] as number)));
    weight = fround(weight + (values[at + WEIGHT] as number));
    if (own > most) most = own;
  }
  if (weight !== 0) alpha = fround(alpha / weight);
  return alpha >= 1 && most >= OPAQUE ? 1 : alpha;
}

/** Colours that are far from `centre` count more, so that the average does not fade. */
function average(histogram: Histogram, first: number, count: number, centre: Colour): Colour {
  const { values } = histogram;
  const alpha = averageAlpha(histogram, first, count);
  let a = 0;
  let r = 0;
  let g = 0;
  let b = 0;
  let sum = 0;
  for (let at = (first + count - 1) * ENTRY; at >= first * ENTRY; at -= ENTRY) {
    const own = values[at] as number;
    let red = values[at + 1] as number;
    let green = values[at + 2] as number;
    let blue = values[at + 3] as number;
    let weight = fround(1 + square(fround(centre.r - red)));
    weight = fround(weight + square(fround(centre.g - green)));
    weight = fround(weight + square(fround(centre.b - blue)));
    weight = fround(weight * (values[at + WEIGHT] as number));
    sum = fround(sum + weight);
    if (own !== 0 && own !== 1) {
      red = fround(red / own);
      green = fround(green / own);
      blue = fround(blue / own);
    }
    r = fround(r + fround(fround(red * alpha) * weight));
    g = fround(g + fround(fround(green * alpha) * weight));
    b = fround(b + fround(fround(blue * alpha) * weight));
    a = fround(a + fround(alpha * weight));
  }
  if (sum === 0) return { a, r, g, b };
  return { a: fround(a / sum), r: fround(r / sum), g: fround(g / sum), b: fround(b / sum) };
}

function squareBeyond(value: number, goodEnough: number): number {
  const squared = value * value;
  return squared < goodEnough * goodEnough ? squared * 0.25 : squared;
}

/** By channel; it decides which one to cut across. */
function varianceOf({ values }: Histogram, first: number, count: number, mean: Colour): Colour {
  let a = 0;
  let r = 0;
  let g = 0;
  let b = 0;
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    const weight = values[at + WEIGHT] as number;
    a += squareBeyond(fround(mean.a - (values[at] as number)), 2 / 256) * weight;
    r += squareBeyond(fround(mean.r - (values[at + 1] as number)), 1 / 256) * weight;
    g += squareBeyond(fround(mean.g - (values[at + 2] as number)), 1 / 256) * weight;
    b += squareBeyond(fround(mean.b - (values[at + 3] as number)), 1 / 256) * weight;
  }
  return { a: fround((a * 4) / 16), r: fround((r * 7) / 16), g: fround((g * 9) / 16), b: fround((b * 5) / 16) };
}

function worstOf({ values }: Histogram, first: number, count: number, { a, r, g, b }: Colour): number {
  let worst = 0;
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    const apart = difference(values, at, a, r, g, b);
    if (apart > worst) worst = apart;
  }
  return worst;
}

export function createBox(histogram: Histogram, first: number, count: number, weight: number, centre: Colour): Box {
  const colour = average(histogram, first, count, centre);
  const variance = varianceOf(histogram, first, count, colour);
  return { first, count, weight, colour, variance, worst: worstOf(histogram, first, count, colour) };
}

export function weigh({ values }: Histogram, first: number, count: number): number {
  let sum = 0;
  for (let entry = first; entry < first + count; entry++) sum += values[entry * ENTRY + WEIGHT] as number;
  return sum;
}

/** The channel with the highest variance matters; the others only make the order certain. */
function markForSorting({ values, whole }: Histogram, { first, count, variance }: Box): void {
  const channels = [
    { offset: 1, variance: variance.r },
    { offset: 2, variance: variance.g },
    { offset: 3, variance: variance.b },
    { offset: 0, variance: variance.a },
  ];
  channels.sort((one, other) => other.variance - one.variance);
  const [one, two, three, four] = channels.map(({ offset }) => offset) as [number, number, number, number];
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    const high = (values[at + one] as number) * 65535;
    const low = (values[at + three] as number) + (values[at + two] as number) / 2 + (values[at + four] as number) / 4;
    // with the first bit turned over, so that signed comparison orders unsigned numbers
    whole[at + MARK] = ((high << 16) | (low * 65535)) ^ 0x80000000;
  }
}

function medianOf(histogram: Histogram, { first, count }: Box): Colour {
  const middle = (count - 1) >>> 1;
  sortUntil(histogram, first, count, middle);
  if (count % 2 === 0) return average(histogram, first + middle, 2, GREY);
  const at = (first + middle) * ENTRY;
  const [a, r, g, b] = histogram.values.subarray(at, at + COLOUR) as unknown as [number, number, number, number];
  return { a, r, g, b };
}

/** Weighs the box's entries for the cut by how far they are from the median; the sum. */
function weighForCut({ values }: Histogram, { first, count }: Box, { a, r, g, b }: Colour): number {
  let sum = 0;
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    const apart = difference(values, at, a, r, g, b);
    const distance = sqrt(apart < GOOD_ENOUGH ? apart / 2 : apart);
    const weight = fround(distance * (sqrt(1 + (values[at + WEIGHT] as number)) - 1));
    values[at + CUT_WEIGHT] = weight;
    sum += weight;
  }
  return sum;
}

export function cut(histogram: Histogram, box: Box): [Box, Box] {
  markForSorting(histogram, box);
  const half = weighForCut(histogram, box, medianOf(histogram, box)) / 2;
  const { first, count, colour } = box;
  const at = Math.min(count - 1, sortUntilWeight(histogram, first, count, half) + 1);
  const weight = weigh(histogram, first, at);
  return [
    createBox(histogram, first, at, weight, colour),
    createBox(histogram, first + at, count - at, box.weight - weight, colour),
  ];
}

/** A palette by median cut: boxes of colours are cut in two, always the worst one, and each gives one colour. */
import { type Box, createBox, cut, GREY, weigh } from "./box.ts";
import { difference } from "./colour.ts";
import { ENTRY, type Histogram, MARK, OWN_WEIGHT, WEIGHT } from "./histogram.ts";
import type { Palette } from "./palette.ts";

const { fround, sqrt, max } = Math;

/** The place of the box that needs a cut most; -1 when none does. */
function worstBox(boxes: readonly Box[], tolerated: number): number {
  let found = -1;
  let most = 0;
  for (let place = 0; place < boxes.length; place++) {
    const { count, weight, variance, worst } = boxes[place] as Box;
    if (count < 2) continue;
    let need = weight * max(max(variance.a, variance.r), max(variance.g, variance.b));
    if (worst > tolerated) need = (need * worst) / tolerated;
    if (need > most) {
      found = place;
      most = need;
    }
  }
  return found;
}

function errorOf({ values }: Histogram, { first, count, colour: { a, r, g, b } }: Box): number {
  let sum = 0;
  for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
    sum += fround(difference(values, at, a, r, g, b) * (values[at + OWN_WEIGHT] as number));
  }
  return sum;
}

/** What is known already is added up first, since that is often enough. */
function isBelow(histogram: Histogram, boxes: readonly Box[], target: number): boolean {
  const most = target * histogram.totalWeight;
  let sum = 0;
  for (const { error } of boxes) {
    sum += error ?? 0;
    if (sum > most) return false;
  }
  for (const box of boxes) {
    if (box.error !== undefined) continue;
    box.error = errorOf(histogram, box);
    sum += box.error;
    if (sum > most) return false;
  }
  return true;
}

function coloursOf(boxes: readonly Box[]): Float32Array {
  return Float32Array.from(boxes.flatMap(({ colour: { a, r, g, b } }) => [a, r, g, b]));
}

/** Entries that are far from their colour count more in the next cut; each one knows its colour. */
function adjust({ values, whole }: Histogram, boxes: readonly Box[]): void {
  for (const [index, { first, count, colour }] of boxes.entries()) {
    const { a, r, g, b } = colour;
    for (let at = first * ENTRY; at < (first + count) * ENTRY; at += ENTRY) {
      const apart = difference(values, at, a, r, g, b);
      values[at + WEIGHT] = (values[at + WEIGHT] as number) * sqrt(1 + apart / 4);
      whole[at + MARK] = index;
    }
  }
}

export interface Goal {
  readonly colours: number;
  /** The average error at which no more cuts are made. */
  readonly error: number;
  /** The difference that a single colour may have; it rises as the palette fills. */
  readonly worst: number;
}

/** Sorts the histogram as it goes. */
export function medianCut(histogram: Histogram, goal: Goal): Palette {
  const { size } = histogram;
  const boxes = [createBox(histogram, 0, size, weigh(histogram, 0, size), GREY)];
  const subsetSize = Math.ceil(fround(goal.colours ** fround(0.7)));
  let subset: Float32Array | undefined;
  while (boxes.length < goal.colours) {
    if (boxes.length === subsetSize) subset = coloursOf(boxes);
    const tolerated = goal.worst + (boxes.length / goal.colours) * 16 * goal.worst;
    const place = worstBox(boxes, tolerated);
    if (place < 0) break;
    const [left, right] = cut(histogram, boxes[place] as Box);
    boxes[place] = left;
    boxes.push(right);
    if (isBelow(histogram, boxes, goal.error)) break;
  }
  adjust(histogram, boxes);
  return { size: boxes.length, colours: coloursOf(boxes), popularity: new Float32Array(boxes.length), subset };
}

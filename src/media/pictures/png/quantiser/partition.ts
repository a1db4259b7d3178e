/** Sorts a range of a histogram by the entries' marks, largest first, and only as far as is needed. */
import { CUT_WEIGHT, ENTRY, type Histogram, MARK } from "./histogram.ts";

const markOf = (whole: Int32Array, entry: number): number => whole[entry * ENTRY + MARK] as number;

function swap(whole: Int32Array, one: number, other: number): void {
  if (one === other) return;
  const x = one * ENTRY;
  const y = other * ENTRY;
  for (let word = 0; word < ENTRY; word++) {
    const held = whole[x + word] as number;
    whole[x + word] = whole[y + word] as number;
    whole[y + word] = held;
  }
}

/** The middle one of three entries, or of all where there are few. */
function pivotOf(whole: Int32Array, first: number, count: number): number {
  const half = first + (count >>> 1);
  if (count < 32) return half;
  const [early, last] = [first + 8, first + count - 1];
  const [a, b, c] = [markOf(whole, early), markOf(whole, half), markOf(whole, last)];
  if (a < b) return b < c ? half : a < c ? last : early;
  return b > c ? half : a < c ? early : last;
}

/** Moves what is larger than the pivot before it and what is smaller behind it; how many are before it. */
function split(whole: Int32Array, first: number, count: number): number {
  if (count >= 8) swap(whole, first, pivotOf(whole, first, count));
  const pivot = markOf(whole, first);
  let left = first + 1;
  let right = first + count;
  while (left < right) {
    if (markOf(whole, left) >= pivot) {
      left++;
      continue;
    }
    do right--;
    while (left < right && markOf(whole, right) <= pivot);
    swap(whole, left, right);
  }
  left--;
  swap(whole, first, left);
  return left - first;
}

/** Until the entry at `wanted` of the range is in its place. */
export function sortUntil({ whole }: Histogram, first: number, count: number, wanted: number): void {
  for (;;) {
    const before = split(whole, first, count);
    const after = before + 1;
    if (before > 0 && wanted < before) count = before;
    else if (after < count && wanted > after) {
      first += after;
      count -= after;
      wanted -= after;
    } else return;
  }
}

/** Until the range is in two parts of which the first one weighs `weight`; where that is, from the range's beginning. */
export function sortUntilWeight({ whole, values }: Histogram, start: number, count: number, weight: number): number {
  let first = start;
  for (;;) {
    const before = split(whole, first, count);
    const after = before + 1;
    let sum = 0;
    for (let entry = first; entry < first + after && sum < weight; entry++) {
      sum += values[entry * ENTRY + CUT_WEIGHT] as number;
    }
    if (sum >= weight) {
      if (before === 0) return first - start;
      count = before;
      continue;
    }
    weight -= sum;
    if (count <= after) return first - start + count;
    first += after;
    count -= after;
  }
}

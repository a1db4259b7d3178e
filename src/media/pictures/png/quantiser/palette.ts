/** A palette, and the order in which it is written. */
import { COLOUR } from "./colour.ts";

export interface Palette {
  readonly size: number;
  readonly colours: Float32Array;
  readonly popularity: Float32Array;
  /** The colours at a time when there were fewer: points around which to search. */
  readonly subset: Float32Array | undefined;
}

/** As the GNU C library sorts with a comparison that never calls two equal: of those, the later one comes first. */
function sortByPopularity(indexes: readonly number[], popularity: Float32Array): number[] {
  if (indexes.length < 2) return [...indexes];
  const half = indexes.length >> 1;
  const left = sortByPopularity(indexes.slice(0, half), popularity);
  const right = sortByPopularity(indexes.slice(half), popularity);
  const sorted: number[] = [];
  const weigh = (index: number | undefined): number => popularity[index as number] as number;
  while (left.length > 0 && right.length > 0) {
    const from = weigh(left[0]) > weigh(right[0]) ? left : right;
    sorted.push(from.shift() as number);
  }
  return [...sorted, ...left, ...right];
}

function swap(indexes: number[], one: number, other: number): void {
  [indexes[one], indexes[other]] = [indexes[other] as number, indexes[one] as number];
}

/** Transparent colours first, since their alpha is written as far as the last of them; then by popularity. */
export function inOrder({ size, colours, popularity, subset }: Palette): Palette {
  const indexes = Array.from({ length: size }, (_, index) => index);
  let transparent = 0;
  for (let at = 0; at < size; at++) {
    if ((colours[(indexes[at] as number) * COLOUR] as number) >= 255 / 256) continue;
    if (at !== transparent) swap(indexes, transparent, at--);
    transparent++;
  }
  const order = [
    ...sortByPopularity(indexes.slice(0, transparent), popularity),
    ...sortByPopularity(indexes.slice(transparent), popularity),
  ];
  // compresses a little better
  if (size > 16) for (const place of [1, 2, 3]) swap(order, place + 6, place);
  return {
    size,
    colours: Float32Array.from(order.flatMap((index) => [...colours.subarray(index * COLOUR, (index + 1) * COLOUR)])),
    popularity: Float32Array.from(order, (index) => popularity[index] as number),
    subset,
  };
}

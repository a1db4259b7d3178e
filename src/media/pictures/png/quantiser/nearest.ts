/** Finds the palette's colour that is nearest to another, or what the reference takes for it. */
import { COLOUR, difference } from "./colour.ts";
import type { Palette } from "./palette.ts";
import { createRegions, quarterDistances } from "./regions.ts";

const { sqrt } = Math;

/** More than what rounding to 32 bits can change in a way. */
const ROUNDING = 1e-5;

/** Where the sorted values of a range are no longer below the limit. */
function firstFrom(values: Float64Array, from: number, to: number, limit: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class Nearest {
  readonly #size: number;
  readonly #colours: Float32Array;
  readonly #quarters: Float64Array;
  readonly #points: Float32Array;
  readonly #radii: Float64Array;
  /** For each colour of the palette, the least way from it into each region. */
  readonly #waysInto: Float64Array;
  /** Where the candidates of each region begin. */
  readonly #starts: Uint32Array;
  readonly #candidates: Float32Array;
  /** Of each candidate, its way to the region's point. */
  readonly #ways: Float64Array;
  readonly #indexes: Uint8Array;
  /** Which candidate of a region a colour is, from 1; 0 for none. */
  readonly #places: Uint16Array;
  /** How far away the colour was that was found last. */
  distance = 0;

  /** `isRough` is faster, and now and then finds one that is not quite the nearest. */
  constructor(palette: Palette, isRough: boolean) {
    const { colours, size } = palette;
    const regions = createRegions(palette, isRough);
    this.#size = size;
    this.#colours = colours.slice();
    this.#quarters = quarterDistances(palette);
    this.#points = new Float32Array(regions.length * COLOUR);
    this.#radii = Float64Array.from(regions, ({ radius }) => radius);
    this.#waysInto = new Float64Array(size * regions.length);
    this.#starts = new Uint32Array(regions.length + 1);
    const count = regions.reduce((sum, { indexes }) => sum + indexes.length, 0);
    this.#candidates = new Float32Array(count * COLOUR);
    this.#ways = new Float64Array(count);
    this.#indexes = new Uint8Array(count);
    this.#places = new Uint16Array(regions.length * size);
    let next = 0;
    for (const [region, { at, radius, indexes, distances }] of regions.entries()) {
      this.#points.set(at, region * COLOUR);
      this.#indexes.set(indexes, next);
      for (const index of indexes) {
        this.#candidates.set(colours.subarray(index * COLOUR, (index + 1) * COLOUR), next * COLOUR);
        this.#ways[next++] = sqrt(distances[index] as number);
        this.#places[region * size + index] = next;
      }
      this.#starts[region + 1] = next;
      const least = sqrt(radius) + ROUNDING;
      for (let index = 0; index < size; index++) {
        this.#waysInto[index * regions.length + region] = sqrt(distances[index] as number) - least;
      }
    }
  }

  /** The palette's index; `guess` is tried first. */
  find(a: number, r: number, g: number, b: number, guess: number): number {
    const guessed = difference(this.#colours, guess * COLOUR, a, r, g, b);
    if (guessed < (this.#quarters[guess] as number)) {
      this.distance = guessed;
      return guess;
    }
    const region = this.#regionOf(a, r, g, b, guess, guessed);
    const way = sqrt(difference(this.#points, region * COLOUR, a, r, g, b));
    const candidates = this.#candidates;
    const ways = this.#ways;
    const from = this.#starts[region] as number;
    const to = this.#starts[region + 1] as number;
    const place = this.#places[region * this.#size + guess] as number;
    let best = place === 0 ? from : place - 1;
    let least = place === 0 ? difference(candidates, from * COLOUR, a, r, g, b) : guessed;
    let reach = sqrt(least) + ROUNDING;
    const middle = firstFrom(ways, from, to, way);
    // whose way is shorter or longer by more than the reach is farther away than that
    for (let step = 1, at = middle; step >= -1; step -= 2, at = middle - 1) {
      for (; at >= from && at < to && ((ways[at] as number) - way) * step <= reach; at += step) {
        const distance = difference(candidates, at * COLOUR, a, r, g, b);
        // of equal ones the first one counts
        if (distance > least || (distance === least && at >= best)) continue;
        least = distance;
        reach = sqrt(least) + ROUNDING;
        best = at;
      }
    }
    this.distance = least;
    return this.#indexes[best] as number;
  }

  /** The first one that the colour is in; `guessed` is how far it is from the colour `guess`. */
  #regionOf(a: number, r: number, g: number, b: number, guess: number, guessed: number): number {
    const waysInto = this.#waysInto;
    const radii = this.#radii;
    const first = guess * radii.length;
    const way = sqrt(guessed);
    const last = radii.length - 1;
    let region = 0;
    for (; region < last; region++) {
      if (way < (waysInto[first + region] as number)) continue;
      if (difference(this.#points, region * COLOUR, a, r, g, b) <= (radii[region] as number)) break;
    }
    return region;
  }
}

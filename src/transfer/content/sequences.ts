/** Sequences aligned with each other. */

/** Places of a longest increasing subsequence of different numbers. */
export function increasingPlaces(numbers: readonly number[]): number[] {
  /** By length - 1: the place of the lowest number that ends a subsequence of this length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [place, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    previous.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = place;
  }
  const places: number[] = [];
  for (let place = ends.at(-1) ?? -1; place >= 0; place = previous[place]!) places.push(place);
  return places.reverse();
}

/** The pairs, in the order of both, whose weights have the greatest sum; those of weight 0 are not paired. */
export function alignByWeight<T>(
  rows: readonly T[],
  columns: readonly T[],
  weigh: (row: T, column: T) => number,
): [row: T, column: T][] {
  const width = columns.length + 1;
  const weights = new Float64Array(rows.length * columns.length);
  /** Of what follows each pair. */
  const sums = new Float64Array((rows.length + 1) * width);
  for (let row = rows.length - 1; row >= 0; row--) {
    for (let column = columns.length - 1; column >= 0; column--) {
      const weight = weigh(rows[row]!, columns[column]!);
      weights[row * columns.length + column] = weight;
      const paired = weight > 0 ? sums[(row + 1) * width + column + 1]! + weight : 0;
      sums[row * width + column] = Math.max(paired, sums[(row + 1) * width + column]!, sums[row * width + column + 1]!);
    }
  }
  const pairs: [T, T][] = [];
  let row = 0;
  let column = 0;
  while (row < rows.length && column < columns.length) {
    const sum = sums[row * width + column]!;
    const weight = weights[row * columns.length + column]!;
    if (weight > 0 && sum === sums[(row + 1) * width + column + 1]! + weight)
      pairs.push([rows[row++]!, columns[column++]!]);
    else if (sum === sums[(row + 1) * width + column]!) row++;
    else column++;
  }
  return pairs;
}

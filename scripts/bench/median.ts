/** The middle value; of an even number of them the mean of the two in the middle, and of none NaN. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted.length >> 1;
  const high = sorted[upper] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[upper - 1] ?? Number.NaN) + high) / 2;
}

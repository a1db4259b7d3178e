/** How long something takes at its quickest. */
const TRIES = 10;

/**
 * Milliseconds of the first of a few tries that stays below `limit`, or of the quickest: a machine with other work pauses
 * now and then, but what is slow is slow each time. `work` tells how long it took, so that its preparations do not count.
 */
export async function quickest(limit: number, work: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TRIES && least >= limit; count++) least = Math.min(least, await work());
  return least;
}

/** Processor time, in milliseconds: what a limit of it refuses is slow, however busy the machine is. */

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Of this thread until now. */
export const threadTime = (): number => milliseconds(process.threadCpuUsage());

/** Of all threads of this process until now: those of workers, too, which decode images and match patterns. */
export const processTime = (): number => milliseconds(process.cpuUsage());

/** How long something takes at its quickest. */
const TRIES = 10;

/**
 * The time of the first of a few tries that stays below `limit`, or of the quickest: code is compiled and garbage collected now
 * and then, but what is slow is slow each time. `work` tells how long it took, so that its preparations do not count.
 */
export async function quickest(limit: number, work: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TRIES && least >= limit; count++) least = Math.min(least, await work());
  return least;
}

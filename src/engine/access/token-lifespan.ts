/** The lifespans of API and transfer tokens. */

const DAY_MS = 86_400_000;

/** Those that Strapi offers, in milliseconds: unlimited, or a number of days. */
export const LIFESPANS: readonly (number | null)[] = [null, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS];

/** When a token with this lifespan expires: an ISO time, or null for never. Expects one of `LIFESPANS`, or no value. */
export function readLifespan(lifespan: unknown): {
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
} {
  if (lifespan === undefined || lifespan === null || lifespan === "") return { lifespan: null, expiresAt: null };
  return { lifespan: Number(lifespan), expiresAt: new Date(Date.now() + Number(lifespan)).toISOString() };
}

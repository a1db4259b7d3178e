/** The options of `galley serve` for a published archive. */
import { type CommandCall, UsageError } from "../command.ts";

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const MIN_REFRESH_MS = 100;
const MAX_REFRESH_MS = 86_400_000;

/** Parses an interval to milliseconds. Throws a UsageError. */
export function parseRefresh(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (MILLISECONDS[unit] ?? Number.NaN);
  if (!(milliseconds >= MIN_REFRESH_MS && milliseconds <= MAX_REFRESH_MS))
    throw new UsageError(`--refresh must be a time such as 30s, 5m or 1h, from 100ms to 24h, not "${text}"`);
  return milliseconds;
}

export interface PublishedCall {
  readonly refresh: number | undefined;
  readonly key: string | undefined;
}

/** Throws a UsageError for options that published archives do not support. */
export function publishedOptions(call: CommandCall): PublishedCall {
  for (const option of ["memory", "admin", "no-content-sync"])
    if (call.flag(option)) throw new UsageError(`--${option} is for projects; a published archive is only read`);
  return { refresh: parseRefresh(call.text("refresh")), key: call.text("key") };
}

/** `strapi.log`: writes to the console, with the levels of the reference. */
import { stackOf } from "../../print-value.ts";

export interface Log {
  readonly error: (...args: readonly unknown[]) => void;
  readonly warn: (...args: readonly unknown[]) => void;
  readonly info: (...args: readonly unknown[]) => void;
  readonly debug: (...args: readonly unknown[]) => void;
}

const levels = { fatal: 0, error: 0, warn: 1, info: 2, http: 3, verbose: 4, debug: 5, trace: 5, silly: 6 } as const;
type Level = keyof typeof levels;

/** Code decides what its own texts contain, but errors may repeat what clients send. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value instanceof Error ? stackOf(value) : Bun.inspect(value);

/** `threshold`: the least important level that is written. */
export function createLog(threshold: string): Log {
  const maxRank = levels[threshold as Level] ?? levels.info;
  const writer =
    (level: Level) =>
    (...args: readonly unknown[]): void => {
      if (levels[level] > maxRank) return;
      const write = levels[level] <= levels.warn ? console.error : console.log;
      write(`${level}: ${args.map(textOf).join(" ")}`);
    };
  const writers = Object.fromEntries(
    (Object.keys(levels) as Level[]).map((level) => [level, writer(level)]),
  ) as unknown as Record<Level, Log["error"]>;
  const log = {
    ...writers,
    level: threshold,
    log: (level: string, ...args: readonly unknown[]) => writers[level in levels ? (level as Level) : "info"](...args),
    child: () => log,
  };
  return log;
}

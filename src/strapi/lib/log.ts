/** `strapi.log`: writes to the console, with the levels of Strapi. */

import { isRecord } from "../../lib/is-record.ts";
import { formatStack } from "../../lib/print-value.ts";
import { withoutSecrets, withoutSecretsInUrls } from "../../lib/redact.ts";

type Write = (...args: readonly unknown[]) => unknown;

/** Methods return the logger, as winston's do. */
export interface Log {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
}

/** A transport of winston: a stream of records. */
interface Transport {
  readonly level?: string;
  readonly write: (record: object) => unknown;
  readonly emit?: (event: string, logger: object) => unknown;
}

const levels = { fatal: 0, error: 0, warn: 1, info: 2, http: 3, verbose: 4, debug: 5, trace: 5, silly: 6 } as const;
type Level = keyof typeof levels;

/** Code decides what its own texts say, such as a token that it has created, but URLs, objects and errors repeat what clients send. */
function formatText(value: unknown): string {
  if (typeof value === "string") return withoutSecretsInUrls(value);
  return value instanceof Error ? formatStack(value) : withoutSecrets(Bun.inspect(value));
}

const rankOf = (level: unknown): number => levels[level as Level] ?? levels.info;

/** A record as winston's formats leave it, which libraries of transports read by these symbols. */
const createRecord = (level: Level, message: string, args: readonly unknown[]): object => ({
  ...args.find((value) => isRecord(value)),
  level,
  message,
  timestamp: new Date().toISOString(),
  [Symbol.for("level")]: level,
  [Symbol.for("message")]: `${level}: ${message}`,
});

/** `threshold`: the least important level that is written. */
export function createLog(threshold: string): Log {
  const transports = new Set<Transport>();
  const isEnabled = (level: unknown): boolean => rankOf(level) <= rankOf(log.level);
  const writer =
    (level: Level): Write =>
    (...args) => {
      const receivers = [...transports].filter((transport) => levels[level] <= rankOf(transport.level ?? log.level));
      if (!isEnabled(level) && receivers.length === 0) return log;
      const text = args.map(formatText).join(" ");
      const write = levels[level] <= levels.warn ? console.error : console.log;
      if (isEnabled(level)) write(`${level}: ${text}`);
      for (const transport of receivers) transport.write(createRecord(level, text, args));
      return log;
    };
  const writers = Object.fromEntries(
    (Object.keys(levels) as Level[]).map((level) => [level, writer(level)]),
  ) as unknown as Record<Level, Write>;
  const log = {
    ...writers,
    level: threshold,
    levels,
    log: (level: unknown, ...args: readonly unknown[]): unknown => {
      if (isRecord(level)) return log.log(level.level, level.message);
      return writers[String(level) in levels ? (level as Level) : "info"](...args);
    },
    child: () => log,
    isLevelEnabled: isEnabled,
    add(transport: Transport) {
      if (typeof transport?.write !== "function") throw new Error("strapi.log.add() takes a transport of winston");
      transports.add(transport);
      // winston's transports take the levels from what is piped into them
      transport.emit?.("pipe", log);
      return log;
    },
    remove(transport: Transport) {
      transports.delete(transport);
      return log;
    },
  };
  return log;
}

/** `strapi.log`: writes to the console with the levels of Strapi, or as `config/logger` says. */
import type { Logger, LoggerOptions, transport } from "winston";
import { isRecord } from "../../lib/is-record.ts";
import { formatStack } from "../../lib/printable.ts";
import { mapValues } from "../../lib/records.ts";
import { withoutSecrets, withoutSecretsInUrls } from "../../lib/redact.ts";

type Write = (...args: readonly unknown[]) => unknown;

/** Methods return the logger, as winston's do. */
export interface Log {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly http: Write;
  readonly debug: Write;
  /** Whether it writes as `config/logger` says. */
  readonly isConfigured: boolean;
  /** Closes its transports, such as files. */
  readonly close: () => unknown;
}

const levels = { fatal: 0, error: 0, warn: 1, info: 2, http: 3, verbose: 4, debug: 5, trace: 5, silly: 6 } as const;
type Level = keyof typeof levels;
type Writers = Readonly<Record<Level, Write>>;

/** Code decides what its own texts say, such as a token that it has created, but URLs, objects and errors repeat what clients send. */
function formatText(value: unknown): string {
  if (typeof value === "string") return withoutSecretsInUrls(value);
  return value instanceof Error ? formatStack(value) : withoutSecrets(Bun.inspect(value));
}

const rankOf = (level: unknown): number => levels[level as Level] ?? levels.info;

/** A copy of a record without credentials. That of an error is one, too, since formats handle these differently. */
function redactRecord(record: Readonly<Record<string, unknown>>): object {
  const redact = record.stack === undefined ? withoutSecretsInUrls : withoutSecrets;
  const fields = record instanceof Error ? { ...record, message: record.message, stack: record.stack } : record;
  const redacted = mapValues(fields, (value) => (typeof value === "string" ? redact(value) : value));
  return Object.assign(record instanceof Error ? Object.create(record) : {}, record, redacted);
}

/** The logger that Strapi has, which is loaded only for `config/logger` and for transports that code adds. */
function createWinston(options: LoggerOptions): Logger {
  const { createLogger, formats, winston } = require("@strapi/logger") as typeof import("@strapi/logger");
  const redact = winston.format((record) => redactRecord(record) as typeof record);
  const format = winston.format.combine(redact(), options.format ?? formats.prettyPrint());
  // errors that nobody handles may be logged, too, but the server goes on
  const logger = createLogger({
    ...options,
    levels: { ...levels, ...options.levels },
    format,
    exitOnError: false,
  });
  // winston would print later records as they are, with a warning that there are no transports
  logger.on("close", () => {
    logger.silent = true;
  });
  // without a listener, a transport that cannot write would be an uncaught error
  return logger.on("error", (error) => console.error(`error: config/logger: ${formatStack(error)}`));
}

/** `threshold`: the least important level that is written, unless the options have one. `options`: `config/logger`. */
export function createLog(threshold: string, options: LoggerOptions = {}): Log {
  const hasTransports = [options.transports ?? []].flat().length > 0;
  if (hasTransports || options.format !== undefined)
    return Object.assign(createWinston({ level: threshold, ...options }), { isConfigured: true });

  /** Has the transports that code adds. */
  let added: Logger | undefined;
  const isEnabled = (level: unknown): boolean => rankOf(level) <= rankOf(log.level);
  const createWriters = (receiver: () => Logger | undefined) => {
    const writers = mapValues(
      levels,
      (rank, level): Write =>
        (...args) => {
          if (options.silent) return log;
          if (added && added.transports.length > 0) {
            added.level = log.level;
            (receiver() as unknown as Writers)[level as Level](...args);
          }
          const write = rank <= levels.warn ? console.error : console.log;
          if (isEnabled(level)) write(`${level}: ${args.map(formatText).join(" ")}`);
          return log;
        },
    ) as Writers;
    const find = (level: unknown): Write => writers[String(level) in levels ? (level as Level) : "info"];
    const write: Write = (level, ...args) => {
      if (!isRecord(level)) return find(level)(...args);
      const { level: name, message, ...rest } = level;
      return find(name)(message, ...(Object.keys(rest).length > 0 ? [rest] : []));
    };
    return { ...writers, log: write };
  };
  const log = {
    ...createWriters(() => added),
    level: options.level ?? threshold,
    levels,
    isConfigured: false,
    get transports() {
      return added?.transports ?? [];
    },
    child: (fields: object): object =>
      Object.assign(
        Object.create(log),
        createWriters(() => added?.child(fields)),
      ),
    isLevelEnabled: isEnabled,
    add(given: transport) {
      added ??= createWinston({ ...options, transports: [] });
      added.add(given);
      return log;
    },
    remove(given: transport) {
      added?.remove(given);
      return log;
    },
    close: () => added?.close(),
  };
  return log;
}

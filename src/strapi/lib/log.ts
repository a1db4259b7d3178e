/** `strapi.log`: writes to the console with the levels of Strapi, or to the transports of `config/logger`. */

import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import { formatStack } from "../../lib/print-value.ts";
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
}

/** A transport of winston: a stream of records. */
interface Transport {
  readonly level?: string;
  readonly write: (record: object) => unknown;
  readonly emit?: (event: string, logger: object) => unknown;
}

/** A format of winston. Returns false for records that are not written. */
interface Format {
  readonly options?: unknown;
  readonly transform: (record: object, options: unknown) => object | boolean;
}

/** `config/logger`: what Strapi passes to winston. */
export interface LogOptions {
  readonly level?: string;
  readonly silent?: boolean;
  readonly format?: Format;
  readonly transports?: Transport | readonly Transport[];
  readonly defaultMeta?: object;
}

const levels = { fatal: 0, error: 0, warn: 1, info: 2, http: 3, verbose: 4, debug: 5, trace: 5, silly: 6 } as const;
type Level = keyof typeof levels;

const LEVEL = Symbol.for("level");
const MESSAGE = Symbol.for("message");

/** Code decides what its own texts say, such as a token that it has created, but URLs, objects and errors repeat what clients send. */
function formatText(value: unknown): string {
  if (typeof value === "string") return withoutSecretsInUrls(value);
  return value instanceof Error ? formatStack(value) : withoutSecrets(Bun.inspect(value));
}

const rankOf = (level: unknown): number => levels[level as Level] ?? levels.info;

const isFields = (value: unknown): value is Values => isRecord(value) && !(value instanceof Error);

/**
 * A record as winston's formats leave it, which libraries of transports read by these symbols. `hasStack`: the stack of an error is a
 * field, as in winston, and not part of the message.
 */
function createRecord(level: Level, args: readonly unknown[], fields: object, hasStack: boolean): object {
  const own = args.find(isFields);
  const error = hasStack ? args.find((value) => value instanceof Error) : undefined;
  const texts = [...(own?.message === undefined ? [] : [own.message]), ...args.filter((value) => !isFields(value))];
  const message = (texts.length > 0 ? texts : args)
    .map((value) => formatText(value === error ? error?.message : value))
    .join(" ");
  return {
    ...fields,
    ...own,
    ...(error && { stack: formatStack(error) }),
    level,
    message,
    timestamp: new Date().toISOString(),
    [LEVEL]: level,
    [MESSAGE]: `${level}: ${message}`,
  };
}

const consoleTransport: Transport = {
  write: (record) => console.log((record as Record<symbol, unknown>)[MESSAGE]),
};

/** As in Strapi, transports get records in its format unless another one is configured. */
const defaultFormat = (): Format =>
  (require("@strapi/logger") as typeof import("@strapi/logger")).formats.prettyPrint() as Format;

/** `threshold`: the least important level that is written, unless the options have one. */
export function createLog(threshold: string, options: LogOptions = {}): Log {
  const configured = [options.transports ?? []].flat() as readonly Transport[];
  const isConfigured = configured.length > 0 || options.format !== undefined;
  const format = isConfigured ? (options.format ?? defaultFormat()) : undefined;
  const transports = new Set<Transport>();
  const isEnabled = (level: unknown): boolean => rankOf(level) <= rankOf(log.level);
  const send = (receivers: readonly Transport[], record: object): void => {
    const formatted = format ? format.transform(record, format.options) : record;
    if (isRecord(formatted)) for (const transport of receivers) transport.write(formatted);
  };
  const writer =
    (level: Level, fields: object): Write =>
    (...args) => {
      if (options.silent) return log;
      const receivers = [...transports].filter((transport) => levels[level] <= rankOf(transport.level ?? log.level));
      if (receivers.length > 0) send(receivers, createRecord(level, args, fields, options.format !== undefined));
      if (isConfigured || !isEnabled(level)) return log;
      const write = levels[level] <= levels.warn ? console.error : console.log;
      write(`${level}: ${args.map(formatText).join(" ")}`);
      return log;
    };
  const createMethods = (fields: object): Record<Level | "log", Write> => {
    const writers = Object.fromEntries(
      (Object.keys(levels) as Level[]).map((level) => [level, writer(level, fields)]),
    ) as unknown as Record<Level, Write>;
    const find = (level: unknown): Write => writers[String(level) in levels ? (level as Level) : "info"];
    return {
      ...writers,
      log: (level, ...args) => {
        if (!isRecord(level)) return find(level)(...args);
        const { level: name, message, ...rest } = level;
        return find(name)(message, ...(Object.keys(rest).length > 0 ? [rest] : []));
      },
    };
  };
  const log = {
    ...createMethods(toRecord(options.defaultMeta)),
    level: options.level ?? threshold,
    levels,
    isConfigured,
    get transports() {
      return [...transports];
    },
    child: (fields: unknown): object =>
      Object.assign(Object.create(log), createMethods({ ...options.defaultMeta, ...toRecord(fields) })),
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
  for (const transport of isConfigured && configured.length === 0 ? [consoleTransport] : configured) log.add(transport);
  return log;
}

/** `strapi::compression`: which responses are compressed, and how. */
import type { ProjectReport } from "../../lib/errors.ts";
import { isSection, type Section } from "./files.ts";
import { parseSize } from "./parse-size.ts";
import { type UnusedOption, unusedOption } from "./unused-option.ts";

/** In order of preference. */
export const encodings = ["br", "gzip", "deflate"] as const;
export type Encoding = (typeof encodings)[number];

export interface CompressionSettings {
  /** Smaller responses are sent as they are; 1024. */
  readonly minBytes: number;
  /** Options of `node:zlib` for each encoding; null: not used. */
  readonly options: Readonly<Record<Encoding, object | null>>;
  /** For clients that say nothing; "identity". */
  readonly defaultEncoding: string;
  /** Whether responses of a content type are compressed; undefined: those that compress well. */
  readonly filter: ((type: string) => unknown) | undefined;
}

const MIN_BYTES = 1024;

export const defaultCompression: CompressionSettings = {
  minBytes: MIN_BYTES,
  options: { br: {}, gzip: {}, deflate: {} },
  defaultEncoding: "identity",
  filter: undefined,
};

export function compressionSettings(config: Section, file: string, report: ProjectReport): CompressionSettings {
  const { threshold, defaultEncoding, filter } = config;
  const size = report.attempt(() => parseSize(threshold, file, "strapi::compression.threshold"));
  const readOptions = (encoding: Encoding): object | null => {
    const own = config[encoding];
    if (own === false || own === null) return null;
    return isSection(own) ? own : {};
  };
  return {
    minBytes: size ?? defaultCompression.minBytes,
    options: { br: readOptions("br"), gzip: readOptions("gzip"), deflate: readOptions("deflate") },
    defaultEncoding: typeof defaultEncoding === "string" ? defaultEncoding : defaultCompression.defaultEncoding,
    filter: typeof filter === "function" ? (filter as CompressionSettings["filter"]) : undefined,
  };
}

const USED: ReadonlySet<string> = new Set(["threshold", "defaultEncoding", "filter", ...encodings]);

export const unusedCompressionOptions = (config: Section): readonly UnusedOption[] =>
  Object.keys(config)
    .filter((name) => !USED.has(name))
    .map((name) => unusedOption(name, config[name]));

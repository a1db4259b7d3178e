/** `strapi::query`: the options of the package qs for query strings. */
import type { ProjectReport } from "../../lib/errors.ts";
import type { Section } from "./files.ts";
import { Reader } from "./reader.ts";
import { type UnusedOption, unusedOption } from "./unused-option.ts";

/** Options of qs for parsing, with values that need no code. */
export type QueryOptions = Readonly<Record<string, string | number | boolean>>;

type Kind = "number" | "flag" | "text";

const kinds: Readonly<Record<string, Kind>> = {
  arrayLimit: "number",
  depth: "number",
  parameterLimit: "number",
  strictNullHandling: "flag",
  allowDots: "flag",
  allowEmptyArrays: "flag",
  allowPrototypes: "flag",
  allowSparse: "flag",
  charsetSentinel: "flag",
  comma: "flag",
  decodeDotInKeys: "flag",
  ignoreQueryPrefix: "flag",
  interpretNumericEntities: "flag",
  parseArrays: "flag",
  plainObjects: "flag",
  strictDepth: "flag",
  throwOnLimitExceeded: "flag",
  charset: "text",
  delimiter: "text",
  duplicates: "text",
};

/** Without effect in Strapi as well. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["settings"]);

/** Values that qs refuses otherwise, so that Strapi answers every request with 500. */
const choices: Readonly<Record<string, readonly string[]>> = {
  charset: ["utf-8", "iso-8859-1"],
  duplicates: ["combine", "first", "last"],
};

/** The options that are set; undefined if there are none. Invalid values are reported, and have no effect. */
export function queryOptions(config: Section, prefix: string, file: string, report: ProjectReport) {
  const reader = new Reader(prefix === "" ? config : { [prefix]: config }, file, report);
  const read = (name: string, kind: Kind): string | number | boolean | undefined => {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    // as in qs, false is no depth at all
    if (name === "depth" && config.depth === false) return false;
    const value = reader[kind](key);
    const allowed = choices[name];
    if (value === undefined || !allowed || allowed.includes(String(value))) return value;
    return reader.ignore(key, `must be ${allowed.join(" or ")}, not ${JSON.stringify(value)}`);
  };
  const options = Object.entries(kinds).flatMap(([name, kind]) => {
    const value = read(name, kind);
    return value === undefined ? [] : [[name, value] as const];
  });
  return options.length === 0 ? undefined : (Object.fromEntries(options) as QueryOptions);
}

/** Options that have no effect, but have one in Strapi: functions, and names that qs does not know. */
export const unusedQueryOptions = (config: Section, prefix = ""): readonly UnusedOption[] =>
  Object.keys(config)
    .filter((name) => !Object.hasOwn(kinds, name) && !WITHOUT_EFFECT.has(name))
    .map((name) => unusedOption(prefix + name, config[name]));

import { ProjectError } from "../../lib/errors.ts";

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** Parses a size in bytes: a number, or a string such as "2mb". Throws a ProjectError. */
export function parseSize(value: unknown, file: string, key: string): number | undefined {
  if (value === undefined) return undefined;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value)) ?? [];
  const factor = units[unit?.toLowerCase() ?? "?"];
  if (number === undefined || factor === undefined)
    throw new ProjectError(file, key, `must be a size such as "2mb", not ${JSON.stringify(value)}`);
  return Math.floor(Number(number) * factor);
}

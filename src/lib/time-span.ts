/** Spans of time as `jsonwebtoken` reads them. */

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 };
const SPAN =
  /^(-?\d*\.?\d+) *(ms|milliseconds?|msecs?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|yrs?|y)?$/i;

/** In seconds: "2 days", "1.5h"; without a unit milliseconds. Undefined for other texts. */
export function parseSpan(text: string): number | undefined {
  const [, number, unit = "ms"] = SPAN.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (/^m(s|illi)/i.test(unit) ? 0.001 : UNITS[unit[0]!.toLowerCase()]!);
}

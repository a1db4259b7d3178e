/** A readable device name from a user agent: "Chrome on macOS". */

const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\/|\bOpera\b/],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|CriOS)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["iOS", /\b(iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

/** In characters. The rest of a longer name is ignored. */
const MAX_LENGTH = 1_000;

const firstMatch = (table: typeof browsers, agent: string): string | undefined =>
  table.find(([, pattern]) => pattern.test(agent))?.[0];

/** Undefined for unknown agents. */
export function deviceName(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const agent = userAgent.slice(0, MAX_LENGTH);
  const browser = firstMatch(browsers, agent);
  const system = firstMatch(systems, agent);
  if (!browser) return undefined;
  return system ? `${browser} on ${system}` : browser;
}

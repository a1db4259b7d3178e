/** Times of day: as inputs show them, and as they are stored. */

/** Without milliseconds and seconds that are zero. */
export const shortTime = (time: string): string => time.replace(/(:00)?\.0+$/, "");

/** With seconds and milliseconds. What is no time stays as it is. */
export function fullTime(text: string): string {
  const [, minutes, seconds = "00", fraction = ""] = /^(\d\d:\d\d)(?::(\d\d))?(?:\.(\d+))?$/.exec(text) ?? [];
  return minutes === undefined ? text : `${minutes}:${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}`;
}

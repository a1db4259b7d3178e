/** A time in words, "2 hours ago", and exactly as a tooltip. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { localized } from "./localized.tsx";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Longest first: the unit of a distance is the first that fits into it. */
const units = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

/** Older times are dates. */
const MAX_WORDS = 7 * DAY;

const now = signal(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Keeps `now` up to date while something shows it. Returns what ends it. */
function followNow(): () => void {
  if (users++ === 0) {
    now.value = Date.now();
    timer = setInterval(() => {
      now.value = Date.now();
    }, MINUTE);
  }
  return () => {
    if (--users === 0) clearInterval(timer);
  };
}

/** The formats of the user's language are created on first use, since that takes milliseconds. */
let words: Intl.RelativeTimeFormat | undefined;
let dates: Intl.DateTimeFormat | undefined;

/** `at` and `from` in milliseconds since 1970. A clock that is a little ahead does not make a time one of the future. */
function formatAgo(at: number, from: number): string {
  const distance = Math.max(0, from - at);
  if (distance > MAX_WORDS) {
    dates ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
    return dates.format(at);
  }
  const [unit, length] = units.find(([, ms]) => distance >= ms) ?? ["second", Number.POSITIVE_INFINITY];
  words ??= new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  return words.format(-Math.floor(distance / length), unit);
}

export function TimeAgo({ time }: { readonly time: string | null | undefined }) {
  useEffect(followNow, []);
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return <>–</>;
  return (
    <time dateTime={time!} title={localized(() => new Date(at).toLocaleString())}>
      {localized(() => formatAgo(at, now.value))}
    </time>
  );
}

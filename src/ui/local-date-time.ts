/** Times in the browser's time zone, as inputs take them. */
import { shortTime } from "./time-of-day.ts";

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** Empty for what is not a time. */
export function localDateTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const day = [
    String(date.getFullYear()).padStart(4, "0"),
    twoDigits(date.getMonth() + 1),
    twoDigits(date.getDate()),
  ].join("-");
  const milliseconds = String(date.getMilliseconds()).padStart(3, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${day}T${shortTime(`${time}.${milliseconds}`)}`;
}

/** Parses cron rules: five fields, or six with seconds first. */

/** The numbers of a field: `*`, `a`, `a-b` and `a,b`, each with an optional step. */
function numbersOf(field: string, from: number, to: number): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "*", step = "1"] = part.split("/");
    const [first = from, last] = range === "*" ? [from, to] : range.split("-").map(Number);
    const end = last ?? (part.includes("/") ? to : first);
    for (let number = first; number <= end; number += Math.max(1, Number(step) || 1)) numbers.add(number);
  }
  return numbers;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const withNumbers = (field: string, names: readonly string[], first: number): string =>
  field.toLowerCase().replace(/[a-z]{3}/g, (name) => String(names.indexOf(name) + first));

/** Returns a function that checks whether a time matches. Throws for an invalid rule. */
export function readCronRule(text: string): (time: Date) => boolean {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) throw new Error(`"${text}" is no cron rule`);
  const [second, minute, hour, day, month, weekday] = fields.length === 6 ? fields : ["0", ...fields];
  const seconds = numbersOf(second!, 0, 59);
  const minutes = numbersOf(minute!, 0, 59);
  const hours = numbersOf(hour!, 0, 23);
  const days = numbersOf(day!, 1, 31);
  const months = numbersOf(withNumbers(month!, MONTHS, 1), 1, 12);
  const weekdays = numbersOf(withNumbers(weekday!, DAYS, 0), 0, 7);
  const isDay = (time: Date): boolean => {
    const byDate = days.has(time.getDate());
    const byWeekday = weekdays.has(time.getDay()) || (time.getDay() === 0 && weekdays.has(7));
    // as in cron, one of them is enough if both are restricted
    return day !== "*" && weekday !== "*" ? byDate || byWeekday : byDate && byWeekday;
  };
  return (time) =>
    seconds.has(time.getSeconds()) &&
    minutes.has(time.getMinutes()) &&
    hours.has(time.getHours()) &&
    months.has(time.getMonth() + 1) &&
    isDay(time);
}

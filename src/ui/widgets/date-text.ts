/** Dates and times as they are typed: in the order of the user's language, or as ISO has them. */

export type DateKind = "date" | "time" | "datetime";

type Part = "year" | "month" | "day";

interface DateOrder {
  readonly parts: readonly Part[];
  readonly separator: string;
}

let known: DateOrder | undefined;

function dateOrder(): DateOrder {
  const options = { year: "numeric", month: "2-digit", day: "2-digit", calendar: "gregory", numberingSystem: "latn" };
  known ??= orderOf(new Intl.DateTimeFormat(undefined, options as Intl.DateTimeFormatOptions));
  return known;
}

function orderOf(format: Intl.DateTimeFormat): DateOrder {
  const found = format.formatToParts(new Date(2000, 0, 2));
  const parts = found.map(({ type }) => type).filter((type) => /^(year|month|day)$/.test(type)) as Part[];
  // a mark that only right-to-left languages need
  const separator = found.find(({ type }) => type === "literal")?.value.replace(/\p{Cf}/gu, "");
  return { parts, separator: separator ?? "-" };
}

const shownParts: Readonly<Record<Part, string>> = { year: "yyyy", month: "mm", day: "dd" };

/** What is typed, for a field that is empty. */
export function datePlaceholder(kind: DateKind): string {
  const { parts, separator } = dateOrder();
  const date = parts.map((part) => shownParts[part]).join(separator);
  return { date, time: "hh:mm", datetime: `${date} hh:mm` }[kind];
}

/** From a value as inputs of browsers have it: `2026-01-31`, `09:30`, `2026-01-31T09:30`. */
export function showDate(value: string): string {
  const [, year = "", month = "", day = "", time] = /^(\d+)-(\d\d)-(\d\d)(?:T(.*))?$/.exec(value) ?? [];
  if (year === "") return value;
  const { parts, separator } = dateOrder();
  const date = parts.map((part) => ({ year, month, day })[part]).join(separator);
  return time ? `${date} ${time}` : date;
}

/** The day, if there is such a day. */
function readDay(numbers: readonly string[]): string | undefined {
  const order: readonly Part[] = numbers[0]!.length > 2 ? ["year", "month", "day"] : dateOrder().parts;
  const at = (part: Part): string => numbers[order.indexOf(part)]!;
  const year = at("year").length > 2 ? at("year").padStart(4, "0") : `20${at("year").padStart(2, "0")}`;
  const day = `${year}-${at("month").padStart(2, "0")}-${at("day").padStart(2, "0")}`;
  const date = new Date(`${day}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? day : undefined;
}

const TIME = /^(\d{1,2})(?::?(\d\d))?(?::?(\d\d)(?:[.,](\d{1,3}))?)?\s*(?:([ap])\.?m?\.?)?$/i;

function readTime(text: string): string | undefined {
  const [, hours, minutes = "00", seconds, fraction, half] = TIME.exec(text) ?? [];
  if (hours === undefined || (half && (Number(hours) > 12 || Number(hours) === 0))) return undefined;
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hours);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return undefined;
  const end = seconds ? `:${seconds}${fraction ? `.${fraction.padEnd(3, "0")}` : ""}` : "";
  return `${String(hour).padStart(2, "0")}:${minutes}${end}`;
}

const SEPARATED = /^(\d{1,4})\D{1,3}(\d{1,2})\D{1,3}(\d{1,4})(?!\d)\.?/;
const unseparated = (): RegExp =>
  new RegExp(
    `^${dateOrder()
      .parts.map((part) => (part === "year" ? "(\\d{4})" : "(\\d\\d)"))
      .join("")}`,
  );

/** The value of a text; undefined for one that is none. A date without a time begins at midnight. */
export function readDate(text: string, kind: DateKind): string | undefined {
  const typed = text.trim();
  if (kind === "time") return readTime(typed);
  const [all = "", ...numbers] = SEPARATED.exec(typed) ?? unseparated().exec(typed) ?? [];
  const day = all === "" ? undefined : readDay(numbers);
  const rest = typed.slice(all.length).replace(/^[\s,T]+/, "");
  if (day === undefined || kind === "date") return rest === "" ? day : undefined;
  const time = rest === "" ? "00:00" : readTime(rest);
  return time && `${day}T${time}`;
}

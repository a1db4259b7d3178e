/** When a cron task runs: a rule, a time, or an object with either, as croner takes it. */
import { isRecord } from "../../lib/is-record.ts";

export interface Schedule {
  /** A cron rule with five to seven fields, or the time of the only run. */
  readonly pattern: string | Date;
  readonly timezone?: string;
  readonly startAt?: Date;
  readonly stopAt?: Date;
  readonly maxRuns?: number;
}

/** The fields of a recurrence, in the order of a rule. `first`: what is added to numbers, since months of a recurrence begin at 0. */
const recurrenceFields = [
  { name: "second", byDefault: "0", first: 0 },
  { name: "minute", byDefault: "*", first: 0 },
  { name: "hour", byDefault: "*", first: 0 },
  { name: "date", byDefault: "*", first: 0 },
  { name: "month", byDefault: "*", first: 1 },
  { name: "dayOfWeek", byDefault: "*", first: 0 },
] as const;

const isRecurrence = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && ["year", ...recurrenceFields.map(({ name }) => name)].some((name) => name in value);

/** A number, a string, a list of them, or a range with an optional step, as a field of a rule. */
function formatField(value: unknown, first: number): string | undefined {
  if (typeof value === "number") return String(value + first);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((item) => formatField(item, first) ?? "*").join(",");
  if (!isRecord(value)) return undefined;
  const [start, end] = [formatField(value.start ?? value.from, first), formatField(value.end ?? value.to, first)];
  if (start === undefined || end === undefined) return undefined;
  return `${start}-${end}${value.step === undefined ? "" : `/${value.step}`}`;
}

function formatRule(recurrence: Readonly<Record<string, unknown>>): string {
  const fields = recurrenceFields.map(
    ({ name, byDefault, first }) => formatField(recurrence[name], first) ?? byDefault,
  );
  const year = formatField(recurrence.year, 0);
  return [...fields, ...(year === undefined ? [] : [year])].join(" ");
}

/** Throws for a value that is not a rule. */
function parsePattern(rule: unknown): Pick<Schedule, "pattern" | "maxRuns"> {
  if (typeof rule === "number" || rule instanceof Date) return { pattern: new Date(rule), maxRuns: 1 };
  if (typeof rule === "string") return { pattern: rule };
  if (isRecurrence(rule)) return { pattern: formatRule(rule) };
  throw new Error("there is no cron rule in the task's options");
}

const toDate = (value: unknown): Date => (value instanceof Date ? value : new Date(value as string | number));

/** `options`: a rule, or `{ rule, tz, start, end }`. Throws if it has no rule. */
export function parseSchedule(options: unknown): Schedule {
  if (!isRecord(options) || options instanceof Date) return parsePattern(options);
  const { rule, tz, start, end } = options;
  return {
    ...parsePattern("rule" in options ? rule : options),
    ...(tz ? { timezone: String(tz) } : {}),
    ...(start === undefined || start === null ? {} : { startAt: toDate(start) }),
    ...(end === undefined || end === null ? {} : { stopAt: toDate(end) }),
  };
}

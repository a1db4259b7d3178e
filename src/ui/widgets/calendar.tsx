/** The days of a month below an input: the date picker of the ARIA practices. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { usePopup } from "./popup.ts";

interface CalendarProps {
  readonly anchor: HTMLElement;
  /** Days as `2026-01-31`; empty for none. */
  readonly value: string;
  readonly min: string;
  readonly max: string;
  readonly onChoose: (day: string) => void;
  readonly onClose: () => void;
  /** The focus has gone elsewhere. */
  readonly onLeave: () => void;
}

const DAY_MS = 86_400_000;

const dateOf = (day: string): Date => new Date(`${day}T00:00Z`);
// years beyond 9999, at the end of the last week, have a sign and six digits
const dayOf = (date: Date): string => date.toISOString().split("T")[0]!;
const plusDays = (day: string, days: number): string => dayOf(new Date(dateOf(day).getTime() + days * DAY_MS));

/** The same day of another month, or its last one. */
function plusMonths(day: string, months: number): string {
  const date = dateOf(day);
  const number = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const next = new Date(date);
  next.setUTCMonth(next.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(number, next.getUTCDate()));
  return dayOf(date);
}

type WeekLocale = Intl.Locale & {
  readonly getWeekInfo?: () => { readonly firstDay: number };
  readonly weekInfo?: { readonly firstDay: number };
};

/** From 1, Monday, to 7. */
function firstWeekday(): number {
  const locale: WeekLocale = new Intl.Locale(navigator.language);
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

const today = (): string => {
  const now = new Date();
  return dayOf(new Date(now.getTime() - now.getTimezoneOffset() * 60_000));
};

const format = (day: string, options: Intl.DateTimeFormatOptions): string =>
  dateOf(day).toLocaleDateString(undefined, { timeZone: "UTC", ...options });

const DAYS = [0, 1, 2, 3, 4, 5, 6];
const FULL = { weekday: "long", year: "numeric", month: "long", day: "numeric" } as const;

export function Calendar({ anchor, value, min, max, onChoose, onClose, onLeave }: CalendarProps) {
  const popup = usePopup<HTMLDivElement>(anchor);
  const titleId = useId();
  const clamped = (day: string): string => {
    const [least, time, most] = [min, day, max].map((bound) => dateOf(bound).getTime()) as [number, number, number];
    return dayOf(new Date(Math.max(least, Math.min(time, most))));
  };
  const [day, setDay] = useState(() => clamped(Number.isNaN(dateOf(value).getTime()) ? today() : value));
  const current = useRef<HTMLTableCellElement>(null);
  const isPaging = useRef(false);
  useEffect(() => {
    // a button that turns pages keeps the focus
    if (!isPaging.current) current.current?.focus();
    isPaging.current = false;
  }, [day]);
  const first = firstWeekday();
  const weekday = (of: string): number => (dateOf(of).getUTCDay() + 7 - first) % 7;
  const month = day.slice(0, 7);
  const start = plusDays(`${month}-01`, -weekday(`${month}-01`));
  const weeks = [0, 1, 2, 3, 4, 5]
    .map((week) => plusDays(start, week * 7))
    .filter((monday, week) => week === 0 || monday.slice(0, 7) === month);
  const keys: Readonly<Record<string, (isShifted: boolean) => string>> = {
    ArrowLeft: () => plusDays(day, -1),
    ArrowRight: () => plusDays(day, 1),
    ArrowUp: () => plusDays(day, -7),
    ArrowDown: () => plusDays(day, 7),
    Home: () => plusDays(day, -weekday(day)),
    End: () => plusDays(day, 6 - weekday(day)),
    PageUp: (isShifted) => plusMonths(day, isShifted ? -12 : -1),
    PageDown: (isShifted) => plusMonths(day, isShifted ? 12 : 1),
  };
  const onGridKey = (event: KeyboardEvent): void => {
    const next = keys[event.key];
    if (next) setDay(clamped(next(event.shiftKey)));
    else if (event.key === "Enter" || event.key === " ") onChoose(day);
    else return;
    event.preventDefault();
  };
  const page = (months: number) => () => {
    isPaging.current = true;
    setDay(clamped(plusMonths(day, months)));
  };
  return (
    <div
      ref={popup}
      class="menu calendar"
      popover="manual"
      role="dialog"
      aria-label="Choose a date"
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && relatedTarget !== anchor && !popup.current?.contains(relatedTarget))
          onLeave();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <IconButton icon="back" label="Earlier month" onClick={page(-1)} />
        <strong id={titleId} aria-live="polite">
          {format(day, { month: "long", year: "numeric" })}
        </strong>
        <IconButton icon="back" label="Later month" class="button-icon calendar-next" onClick={page(1)} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the grid of the ARIA practices */}
      <table role="grid" aria-labelledby={titleId} onKeyDown={onGridKey}>
        <thead>
          <tr>
            {DAYS.map((index) => (
              <th key={index} scope="col" abbr={format(plusDays(start, index), { weekday: "long" })}>
                {format(plusDays(start, index), { weekday: "narrow" })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week}>
              {DAYS.map((index) => {
                const own = plusDays(week, index);
                const isOff = own !== clamped(own);
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
                  <td
                    key={own}
                    ref={own === day ? current : undefined}
                    class={own.startsWith(month) ? undefined : "calendar-other"}
                    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the same
                    role="gridcell"
                    tabIndex={own === day ? 0 : -1}
                    aria-label={format(own, FULL)}
                    aria-selected={own === value}
                    aria-current={own === today() ? "date" : undefined}
                    aria-disabled={isOff}
                    onClick={() => {
                      if (!isOff) onChoose(own);
                    }}
                  >
                    {dateOf(own).getUTCDate()}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <Button kind="link" text="Today" onClick={() => setDay(clamped(today()))} />
    </div>
  );
}

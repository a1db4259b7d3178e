/** An input of a date, a time, or both, in the user's time zone: typed, or chosen from a calendar. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { type DateKind, datePlaceholder, readDate, showDate } from "./date-text.ts";
import { attempt } from "./toasts.tsx";

type OpenCalendar = typeof import("./calendar.tsx").Calendar;

interface DateInputProps {
  readonly id?: string;
  readonly name?: string;
  readonly label?: string | undefined;
  readonly kind: DateKind;
  /** As inputs of browsers have it; empty for none. */
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly isReadOnly?: boolean;
  readonly isRequired?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
  readonly onChange: (value: string) => void;
  /** Called with what is wrong with its text, which is not the value then. */
  readonly onProblem?: (problem: string | undefined, isTyping: boolean) => void;
}

const FIRST_DAY = "0001-01-01";
const LAST_MOMENT = "9999-12-31T23:59:59.999";
const names: Readonly<Record<DateKind, string>> = { date: "date", time: "time", datetime: "date and time" };

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };
const DAY_MINUTES = 1_440;

function stepped(value: string, by: number): string {
  const [hours = 0, minutes = 0] = value.split(":").map(Number);
  const next = (hours * 60 + minutes + by + DAY_MINUTES) % DAY_MINUTES;
  return [Math.floor(next / 60), next % 60].map((part) => String(part).padStart(2, "0")).join(":") + value.slice(5);
}

interface TypedDate {
  /** What is being typed, or is no value. */
  readonly text: string | undefined;
  /** `typed` is in the input. */
  readonly type: (typed: string) => void;
  /** What was typed is shown as it was understood. */
  readonly settle: () => void;
  /** Called with a value that was not typed. */
  readonly report: (value: string) => void;
  /** Handlers of the input. */
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** The text of a date while it is typed, which may be none. */
function useTypedDate(props: DateInputProps, input: RefObject<HTMLInputElement | null>): TypedDate {
  const { kind, value, min = FIRST_DAY, max = LAST_MOMENT, onChange, onProblem } = props;
  const [text, setText] = useState<string>();
  const before = useRef(value);
  /** The value when the input got the focus. */
  const initial = useRef(value);
  const isReporting = useRef(false);
  // after each rendering, before the next key: what was typed stays until something else sets the value
  useLayoutEffect(() => {
    if (value !== before.current && !isReporting.current) {
      setText(undefined);
      if (text !== undefined) onProblem?.(undefined, false);
    }
    before.current = value;
    isReporting.current = false;
  });
  const report = (next: string): void => {
    isReporting.current = true;
    onChange(next);
  };
  const problemOf = (typed: string): string | undefined => {
    if (typed.trim() === "") return undefined;
    const read = readDate(typed, kind);
    if (read === undefined) return `"${typed}" is not a valid ${names[kind]}`;
    if (kind === "time") return undefined;
    if (read < min) return `This is before ${showDate(min)}`;
    return read > max ? `This is after ${showDate(max)}` : undefined;
  };
  return {
    text,
    type: (typed) => {
      setText(typed);
      const problem = problemOf(typed);
      input.current?.setCustomValidity(problem ?? "");
      // the beginning of what is typed may have been a value
      if (problem !== undefined) report(initial.current);
      else report(typed.trim() === "" ? "" : readDate(typed, kind)!);
      onProblem?.(problem, true);
    },
    settle: () => {
      setText(undefined);
      onProblem?.(undefined, false);
    },
    report,
    onFocus: () => {
      initial.current = value;
    },
    onBlur: () => {
      const problem = text === undefined ? undefined : problemOf(text);
      if (problem === undefined) setText(undefined);
      if (text !== undefined) onProblem?.(problem, false);
    },
  };
}

export function DateInput(props: DateInputProps) {
  const { kind, value, min = FIRST_DAY, max = LAST_MOMENT, isReadOnly = false } = props;
  const input = useRef<HTMLInputElement>(null);
  const { text, type, settle, report, ...handlers } = useTypedDate(props, input);
  const [Calendar, setCalendar] = useState<OpenCalendar>();
  const open = (): Promise<unknown> =>
    attempt(async () => {
      const { Calendar: loaded } = await import("./calendar.tsx");
      setCalendar(() => loaded);
    });
  const close = (): void => {
    input.current?.focus();
    setCalendar(undefined);
  };
  const choose = (day: string): void => {
    const time = kind === "datetime" ? `T${value.slice(11) || "00:00"}` : "";
    type(showDate(day + time));
    settle();
    close();
    // as from typing: dialogs ask before they are closed
    input.current?.dispatchEvent(new Event("input", { bubbles: true }));
    // the time is what is typed next
    requestAnimationFrame(() => input.current?.setSelectionRange(showDate(day).length + 1, 99));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (isReadOnly || step === undefined) return;
    const cursor = input.current?.selectionStart ?? 0;
    // the hours or the minutes, wherever the cursor is
    if (kind === "time") report(stepped(value, cursor <= 2 ? step * 60 : step));
    else if (event.altKey && event.key === "ArrowDown") void open();
    else return;
    settle();
    event.preventDefault();
    requestAnimationFrame(() => input.current?.setSelectionRange(cursor, cursor));
  };
  const hasCalendar = kind !== "time" && !isReadOnly;
  return (
    <div class={hasCalendar ? "date-input has-calendar" : "date-input"}>
      <input
        ref={input}
        id={props.id}
        name={props.name}
        class="input"
        type="text"
        dir="ltr"
        autocomplete="off"
        spellcheck={false}
        placeholder={isReadOnly ? "" : datePlaceholder(kind)}
        aria-label={props.label}
        aria-invalid={props.isInvalid}
        aria-describedby={props.describedBy}
        readOnly={isReadOnly}
        required={props.isRequired}
        value={text ?? showDate(value)}
        onInput={(event) => {
          if (event instanceof InputEvent) type(event.currentTarget.value);
        }}
        {...handlers}
        onKeyDown={onKeyDown}
      />
      {hasCalendar ? (
        <IconButton
          icon="calendar"
          label="Choose from a calendar"
          tabIndex={-1}
          aria-expanded={Calendar !== undefined}
          // so that a second press closes it
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => (Calendar ? close() : open())}
        />
      ) : null}
      {Calendar ? (
        <Calendar
          anchor={input.current!}
          value={value.slice(0, 10)}
          min={min.slice(0, 10)}
          max={max.slice(0, 10)}
          onChoose={choose}
          onClose={close}
          onLeave={() => setCalendar(undefined)}
        />
      ) : null}
    </div>
  );
}

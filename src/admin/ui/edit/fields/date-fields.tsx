/** Fields of dates and times, in the browser's own inputs. */
import type { FieldProps } from "./field-props.ts";
import { inputProps } from "./text-fields.tsx";

interface InputFormat {
  readonly type: "date" | "time" | "datetime-local";
  /** From the stored value to the input's, and back. */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** In the browser's time zone. */
function localDateTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const day = [
    String(date.getFullYear()).padStart(4, "0"),
    twoDigits(date.getMonth() + 1),
    twoDigits(date.getDate()),
  ].join("-");
  const seconds = date.getSeconds() > 0 ? `:${twoDigits(date.getSeconds())}` : "";
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}${seconds}`;
}

const inputFormats = {
  date: { type: "date", show: (value) => value.slice(0, 10), read: (text) => text },
  time: {
    type: "time",
    show: (value) =>
      value.replace(/(:\d\d)?\.0+$/, (_, seconds?: string) => (seconds === ":00" ? "" : (seconds ?? ""))),
    read: (text) => `${text.length === 5 ? `${text}:00` : text.slice(0, 8)}.000`,
  },
  datetime: { type: "datetime-local", show: localDateTime, read: (text) => new Date(text).toISOString() },
} satisfies Record<string, InputFormat>;

const input = ({ type, show, read }: InputFormat) =>
  function DateField(props: FieldProps) {
    const { node } = props;
    const { value } = node.value;
    return (
      <input
        {...inputProps(props)}
        type={type}
        {...(type === "date" ? {} : { step: 1 })}
        value={typeof value === "string" ? show(value) : ""}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value;
          // an incomplete date has an empty value too
          if (text === "" && currentTarget.validity.badInput) return;
          node.value.value = text === "" ? null : read(text);
        }}
      />
    );
  };

export const DateField = input(inputFormats.date);
export const TimeField = input(inputFormats.time);
export const DateTimeField = input(inputFormats.datetime);

/** Fields of dates and times, in the browser's own inputs. */
import { localDateTime } from "../../local-date-time.ts";
import { fullTime, shortTime } from "../../time-of-day.ts";
import type { FieldProps } from "./field-props.ts";
import { inputProps } from "./text-fields.tsx";

interface InputFormat {
  readonly type: "date" | "time" | "datetime-local";
  /** Limits years to four digits, so that typing goes on with the next part. */
  readonly max?: string;
  /** From the stored value to the input's, and back. */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

const inputFormats = {
  date: { type: "date", max: "9999-12-31", show: (value) => value.slice(0, 10), read: (text) => text },
  time: {
    type: "time",
    show: shortTime,
    read: fullTime,
  },
  datetime: {
    type: "datetime-local",
    max: "9999-12-31T23:59:59.999",
    show: localDateTime,
    read: (text) => new Date(text).toISOString(),
  },
} satisfies Record<string, InputFormat>;

const input = ({ type, max, show, read }: InputFormat) =>
  function DateField(props: FieldProps) {
    const { node } = props;
    const { value } = node.value;
    return (
      <input
        {...inputProps(props)}
        type={type}
        max={max}
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

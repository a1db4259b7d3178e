/** Fields of dates and times. */
import { useEffect } from "preact/hooks";
import { localDateTime } from "../../local-date-time.ts";
import { fullTime, shortTime } from "../../time-of-day.ts";
import { DateInput } from "../../widgets/date-input.tsx";
import type { DateKind } from "../../widgets/date-text.ts";
import type { FieldProps } from "./field-props.ts";

interface Conversion {
  /** From the stored value to the input's, and back. */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

const conversions: Readonly<Record<DateKind, Conversion>> = {
  date: { show: (value) => value.slice(0, 10), read: (text) => text },
  time: { show: shortTime, read: fullTime },
  datetime: { show: localDateTime, read: (text) => new Date(text).toISOString() },
};

const field = (kind: DateKind) =>
  function DateField({ node, isReadOnly, describedBy }: FieldProps) {
    const { show, read } = conversions[kind];
    const { value } = node.value;
    // what was typed is gone, as in an entry that is folded
    useEffect(
      () => () => {
        node.textProblem = undefined;
      },
      [node],
    );
    return (
      <DateInput
        id={node.id}
        name={node.name}
        kind={kind}
        isReadOnly={isReadOnly}
        isRequired={node.attribute.required === true}
        isInvalid={node.problem.value !== undefined}
        describedBy={describedBy}
        value={typeof value === "string" ? show(value) : ""}
        onChange={(text) => {
          // the same text stays the same time, in an hour that the clock has twice as well
          if (text === "") node.value.value = null;
          else if (typeof value !== "string" || text !== show(value)) node.value.value = read(text);
        }}
        onProblem={(problem, isTyping) => {
          node.textProblem = problem;
          if (!isTyping) node.problem.value = problem;
        }}
      />
    );
  };

export const DateField = field("date");
export const TimeField = field("time");
export const DateTimeField = field("datetime");

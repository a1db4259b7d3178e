/** JSON as text. What is no JSON stays in the field, and is said to be none. */
import { useState } from "preact/hooks";
import type { FieldProps } from "./field-props.ts";
import { inputProps } from "./text-fields.tsx";

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : JSON.stringify(value, undefined, 2);

export function JsonField(props: FieldProps) {
  const { node } = props;
  const { value } = node.value;
  const [shown, setShown] = useState({ value, text: textOf(value) });
  const text = shown.value === value ? shown.text : textOf(value);
  return (
    <textarea
      {...inputProps(props)}
      class="input code"
      rows={6}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => {
        const next = currentTarget.value;
        try {
          const parsed: unknown = next.trim() === "" ? null : JSON.parse(next);
          setShown({ value: parsed, text: next });
          node.problem.value = undefined;
          node.value.value = parsed;
        } catch (error) {
          setShown({ value, text: next });
          node.problem.value = `This is not JSON: ${(error as Error).message}`;
        }
      }}
    />
  );
}

/** Number fields. Invalid input stays as it was typed, and the server reports the error. */
import type { FieldProps } from "./field-props.ts";
import { inputProps } from "./text-fields.tsx";

type Read = (text: string) => unknown;

const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const readAs =
  (form: RegExp): Read =>
  (text) =>
    form.test(text) ? Number(text) : text;

const input = (inputMode: "numeric" | "decimal", read: Read) =>
  function NumberField(props: FieldProps) {
    const { node } = props;
    const { value } = node.value;
    return (
      <input
        {...inputProps(props)}
        type="text"
        inputMode={inputMode}
        autocomplete="off"
        value={value === null || value === undefined ? "" : String(value)}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value.trim();
          node.value.value = text === "" ? null : read(text);
        }}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value.trim();
          const number = text === "" ? null : read(text);
          // "1." is on the way to a number, and must not become "1" under the cursor
          if (number === null || String(number) === text) node.value.value = number;
        }}
      />
    );
  };

export const IntegerField = input("numeric", readAs(INTEGER));
/** A string, since it may exceed JavaScript's safe integers. */
export const BigIntegerField = input("numeric", (text) => text);
export const DecimalField = input("decimal", readAs(DECIMAL));

/** An input of a text with its label, and a hint below it. */
import type { ComponentProps } from "preact";
import { useId } from "preact/hooks";
import { describedBy, Field, type FieldTexts } from "./field.tsx";

/** What inputs and longer texts have in common. */
type Native = Pick<
  ComponentProps<"textarea">,
  | "aria-invalid"
  | "aria-label"
  | "autocomplete"
  | "class"
  | "inputMode"
  | "maxLength"
  | "placeholder"
  | "readOnly"
  | "spellcheck"
>;

interface TextFieldProps extends FieldTexts, Native {
  readonly value: string;
  readonly type?: "email" | "password" | "text";
  /** Of a longer text. */
  readonly rows?: number;
  /** As wide as all columns. */
  readonly isWide?: boolean;
  readonly onChange: (text: string) => void;
}

export function TextField({ label, hint, problem, type, rows, isWide, onChange, ...props }: TextFieldProps) {
  const id = useId();
  const input = {
    class: "input",
    "aria-invalid": Boolean(problem),
    ...props,
    id,
    "aria-describedby": describedBy(id, { hint, problem }),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  };
  return (
    <Field id={id} label={label} hint={hint} problem={problem} isWide={isWide}>
      {rows === undefined ? <input type={type as "text"} {...input} /> : <textarea rows={rows} {...input} />}
    </Field>
  );
}

/** Fields of plain text. */
import type { ComponentProps } from "preact";
import type { FieldProps } from "./field-props.ts";

/** The attributes that the inputs of all fields share. */
export const inputProps = ({ node, isReadOnly, describedBy }: FieldProps) =>
  ({
    id: node.id,
    name: node.name,
    class: "input",
    readOnly: isReadOnly,
    required: node.attribute.required === true,
    "aria-invalid": node.problem.value !== undefined,
    "aria-describedby": describedBy,
  }) as const;

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

/** An empty input is stored as null. */
const input = (
  attributes: Pick<ComponentProps<"input">, "type" | "autocomplete" | "spellcheck" | "placeholder" | "dir">,
) =>
  function TextField(props: FieldProps) {
    const { node } = props;
    return (
      <input
        {...inputProps(props)}
        {...(attributes as object)}
        value={textOf(node.value.value)}
        onInput={({ currentTarget }) => {
          node.value.value = currentTarget.value === "" ? null : currentTarget.value;
        }}
      />
    );
  };

export const StringField = input({ type: "text", autocomplete: "off", dir: "auto" });
export const EmailField = input({ type: "email", autocomplete: "off", spellcheck: false });
export const PasswordField = input({ type: "password", autocomplete: "new-password", placeholder: "Unchanged" });

export function LongTextField(props: FieldProps) {
  const { node } = props;
  return (
    <textarea
      {...inputProps(props)}
      dir="auto"
      rows={4}
      value={textOf(node.value.value)}
      onInput={({ currentTarget }) => {
        node.value.value = currentTarget.value === "" ? null : currentTarget.value;
      }}
    />
  );
}

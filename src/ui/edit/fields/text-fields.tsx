/** Fields of plain text. */
import type { ComponentProps } from "preact";
import { useEdit } from "../edit-context.ts";
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

/** Those of inputs for words: how they look, and sound, depends on the language. */
export const wordProps = (props: FieldProps) => ({ ...inputProps(props), dir: "auto", lang: props.lang }) as const;

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

type InputAttributes = Pick<ComponentProps<"input">, "type" | "autocomplete" | "spellcheck" | "placeholder">;

/** An empty input is stored as null. */
function textInput({ node }: FieldProps, common: object, attributes: InputAttributes) {
  return (
    <input
      {...common}
      {...(attributes as object)}
      value={textOf(node.value.value)}
      onInput={({ currentTarget }) => {
        node.value.value = currentTarget.value === "" ? null : currentTarget.value;
      }}
    />
  );
}

export const StringField = (props: FieldProps) =>
  textInput(props, wordProps(props), { type: "text", autocomplete: "off" });

export const EmailField = (props: FieldProps) =>
  textInput(props, inputProps(props), { type: "email", autocomplete: "off", spellcheck: false });

/** Passwords are never sent to the page: an empty field leaves the stored one as it is. */
export function PasswordField(props: FieldProps) {
  const isStored = useEdit().document.version.value !== undefined;
  return textInput(props, inputProps(props), {
    type: "password",
    autocomplete: "new-password",
    ...(isStored ? { placeholder: "Unchanged" } : {}),
  });
}

export function LongTextField(props: FieldProps) {
  const { node } = props;
  return (
    <textarea
      {...wordProps(props)}
      rows={4}
      value={textOf(node.value.value)}
      onInput={({ currentTarget }) => {
        node.value.value = currentTarget.value === "" ? null : currentTarget.value;
      }}
    />
  );
}

/** A choice from a list, which is searched by typing. */
import { useId, useState } from "preact/hooks";
import { Combobox, type ComboboxInputProps } from "./combobox.tsx";
import type { Option } from "./combobox-list.tsx";
import { describedBy, Field, type FieldTexts } from "./field.tsx";

export interface SelectProps extends ComboboxInputProps {
  /** For a label elsewhere. */
  readonly id?: string;
  readonly options: Iterable<Option>;
}

/** Lists as short as this are read rather than searched: telephones show no keyboard for them. */
const SHORT = 8;

/** Without case and accents. */
const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Those that begin with the text come first. */
function matching(options: readonly Option[], search: string): readonly Option[] {
  if (search === "") return options;
  const { first = [], other = [] } = Object.groupBy(
    options.filter(([, label]) => folded(label).includes(search)),
    ([, label]) => (folded(label).startsWith(search) ? "first" : "other"),
  );
  return [...first, ...other];
}

export function Select({ options, ...props }: SelectProps) {
  const ownId = useId();
  const [typed, setTyped] = useState("");
  const all = [...options];
  const text = all.find(([option]) => option === props.value)?.[1] ?? "";
  // the empty value is none, as in a select of the browser
  const isMissing = props.isRequired === true && props.value === "" && text !== "";
  return (
    <Combobox
      {...props}
      {...(isMissing ? { placeholder: text } : {})}
      id={props.id ?? ownId}
      class={`${props.class ?? "input"} select`}
      text={isMissing ? "" : text}
      options={matching(all, folded(typed))}
      onSearch={setTyped}
      isFirstActive
      inputMode={all.length > SHORT ? "search" : "none"}
    />
  );
}

interface SelectFieldProps extends FieldTexts, Omit<SelectProps, "id" | "label" | "isInvalid" | "describedBy"> {
  /** For one of several fields with the same label. */
  readonly fullLabel?: string;
}

/** With its label above it. */
export function SelectField({ label, fullLabel, hint, problem, ...props }: SelectFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} problem={problem}>
      <Select
        {...props}
        id={id}
        label={fullLabel}
        isInvalid={Boolean(problem)}
        describedBy={describedBy(id, { hint, problem })}
      />
    </Field>
  );
}

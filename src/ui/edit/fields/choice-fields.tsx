/** Fields with a fixed set of values. */
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../../widgets/button.tsx";
import { Select } from "../../widgets/select.tsx";
import type { FieldProps } from "./field-props.ts";

export function EnumerationField({ node, isReadOnly, describedBy }: FieldProps) {
  const choices = (node.attribute.enum as readonly string[] | undefined) ?? [];
  const value = node.value.value as string | null;
  const unknown = value !== null && !choices.includes(value);
  return (
    <Select
      id={node.id}
      isDisabled={isReadOnly}
      isRequired={node.attribute.required === true}
      isInvalid={node.problem.value !== undefined}
      describedBy={describedBy}
      value={value ?? ""}
      options={[
        ["", "No value"],
        ...(unknown ? [[value, `${value} (no longer a value)`] as const] : []),
        ...choices.map((choice) => [choice, choice] as const),
      ]}
      onChoose={(chosen) => {
        node.value.value = chosen === "" ? null : chosen;
      }}
    />
  );
}

const booleanChoices = [
  [true, "Yes"],
  [false, "No"],
] as const;

/** Names that no field uses at present. Browsers keep a record of each name of radio buttons that a document ever had. */
const freeNames: string[] = [];
let nameCount = 0;

function useRadioName(): string {
  const [name] = useState(() => freeNames.pop() ?? `choice-${++nameCount}`);
  useEffect(
    () => () => {
      freeNames.push(name);
    },
    [],
  );
  return name;
}

export function BooleanField({ node, isReadOnly, describedBy }: FieldProps) {
  const name = useRadioName();
  const { value } = node.value;
  return (
    <div class="choices">
      {booleanChoices.map(([answer, label]) => (
        <label key={label} class="choice">
          <input
            type="radio"
            name={name}
            checked={value === answer}
            disabled={isReadOnly}
            aria-describedby={describedBy}
            onChange={() => {
              node.value.value = answer;
            }}
          />
          {label}
        </label>
      ))}
      {value !== null && !isReadOnly && node.attribute.required !== true ? (
        <IconButton
          icon="close"
          label={`Clear ${node.name}`}
          onClick={() => {
            node.value.value = null;
          }}
        />
      ) : null}
    </div>
  );
}

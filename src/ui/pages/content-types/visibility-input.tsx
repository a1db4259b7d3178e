/** When the edit page shows an attribute: always, or beside a value of another attribute. */
import { useId } from "preact/hooks";
import type { Attribute } from "../../model.ts";
import { Field } from "../../widgets/field.tsx";
import { Select } from "../../widgets/select.tsx";
import type { Draft, DraftAttribute } from "./draft.ts";
import { createConditions, listValues, readVisibility, type Visibility } from "./visibility.ts";

/** The attributes that others can be shown by. */
const decidingAttributes = ({ attributes }: Draft, own: DraftAttribute | undefined): readonly DraftAttribute[] =>
  attributes.filter(({ key, definition }) => key !== own?.key && listValues(definition).length > 0);

interface VisibilityInputProps {
  readonly draft: Draft;
  /** Undefined for a new one. */
  readonly attribute: DraftAttribute | undefined;
  readonly definition: Attribute;
  /** Gets the attribute's `conditions`. */
  readonly onChange: (conditions: object | undefined) => void;
}

export function VisibilityInput({ draft, attribute, definition, onChange }: VisibilityInputProps) {
  const id = useId();
  const current = readVisibility(definition);
  const deciding = decidingAttributes(draft, attribute);
  if (current === "always" && deciding.length === 0) return null;
  const shown = typeof current === "object" ? current : undefined;
  const findDefinition = (name: string): Attribute | undefined =>
    deciding.find((item) => item.name === name)?.definition;
  const set = (visibility: Visibility): void => onChange(createConditions(visibility));
  const values = shown ? listValues(findDefinition(shown.attribute)) : [];
  return (
    <Field id={id} label="Shown" isWide>
      <div class="type-shown">
        <Select
          id={id}
          value={shown?.attribute ?? (current === "other" ? "(other)" : "")}
          options={[
            ["", "Always"],
            ...(current === "other" ? [["(other)", "By the rule of the file"] as const] : []),
            ...(shown && !findDefinition(shown.attribute)
              ? [[shown.attribute, `If ${shown.attribute} (not there)`] as const]
              : []),
            ...deciding.map(({ name }) => [name, `If ${name}`] as const),
          ]}
          onChoose={(name) => {
            if (name === "") onChange(undefined);
            else if (name !== "(other)")
              set({ attribute: name, operator: "==", value: listValues(findDefinition(name))[0] });
          }}
        />
        {shown ? (
          <>
            <Select
              label="Comparison"
              value={shown.operator}
              options={[
                ["==", "is"],
                ["!=", "is not"],
              ]}
              onChoose={(operator) => set({ ...shown, operator: operator as "==" | "!=" })}
            />
            <Select
              label="Value that decides"
              value={JSON.stringify(shown.value)}
              options={[...values, ...(values.includes(shown.value) ? [] : [shown.value])].map((value) => [
                JSON.stringify(value),
                String(value),
              ])}
              onChoose={(value) => set({ ...shown, value: JSON.parse(value) })}
            />
          </>
        ) : null}
      </div>
    </Field>
  );
}

/** When the edit page shows an attribute: always, or beside a value of another attribute. */
import { useId } from "preact/hooks";
import type { Attribute } from "../../model.ts";
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
    <div class="field field-wide">
      <label class="field-label" for={id}>
        Shown
      </label>
      <div class="type-shown">
        <select
          id={id}
          class="input"
          value={shown?.attribute ?? (current === "other" ? "(other)" : "")}
          onChange={({ currentTarget: { value } }) => {
            if (value === "") onChange(undefined);
            else set({ attribute: value, operator: "==", value: listValues(findDefinition(value))[0] });
          }}
        >
          <option value="">Always</option>
          {current === "other" ? <option value="(other)">By the rule of the file</option> : null}
          {shown && !findDefinition(shown.attribute) ? (
            <option value={shown.attribute}>If {shown.attribute} (not there)</option>
          ) : null}
          {deciding.map(({ key, name }) => (
            <option key={key} value={name}>
              If {name}
            </option>
          ))}
        </select>
        {shown ? (
          <>
            <select
              class="input"
              aria-label="Comparison"
              value={shown.operator}
              onChange={({ currentTarget }) => set({ ...shown, operator: currentTarget.value as "==" | "!=" })}
            >
              <option value="==">is</option>
              <option value="!=">is not</option>
            </select>
            <select
              class="input"
              aria-label="Value that decides"
              value={JSON.stringify(shown.value)}
              onChange={({ currentTarget }) => set({ ...shown, value: JSON.parse(currentTarget.value) })}
            >
              {[...values, ...(values.includes(shown.value) ? [] : [shown.value])].map((value) => (
                <option key={String(value)} value={JSON.stringify(value)}>
                  {String(value)}
                </option>
              ))}
            </select>
          </>
        ) : null}
      </div>
    </div>
  );
}

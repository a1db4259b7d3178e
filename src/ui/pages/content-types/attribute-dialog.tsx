/** One attribute: its name, its type, and every option of the type. */
import { useId, useMemo, useState } from "preact/hooks";
import type { Attribute } from "../../model.ts";
import { Dialog } from "../../widgets/dialog.tsx";
import { useGuardedClose } from "../../widgets/guarded-close.ts";
import { attributeKinds, listOptions, withType } from "./attribute-options.ts";
import {
  type Draft,
  type DraftAttribute,
  isLocalized,
  newAttribute,
  withLocalized,
  withLocalizedAttribute,
} from "./draft.ts";
import { OptionInput } from "./option-input.tsx";
import type { PluginOptions, Schemas } from "./schemas.ts";
import { VisibilityInput } from "./visibility-input.tsx";

export interface AttributeDialogProps {
  readonly draft: Draft;
  /** Undefined for a new one. */
  readonly attribute: DraftAttribute | undefined;
  readonly schemas: Schemas;
  readonly onDone: (attribute: DraftAttribute) => void;
  readonly onClose: () => void;
}

/** Undefined: the name can be taken. */
function nameProblem(name: string, { attributes }: Draft, own: DraftAttribute | undefined): string | undefined {
  if (name === "") return "Enter a name";
  if (!/^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name))
    return "A name begins with a letter and has only letters, digits and underscores";
  const isTaken = attributes.some((other) => other.key !== own?.key && other.name.toLowerCase() === name.toLowerCase());
  return isTaken ? `An attribute ${name} already exists` : undefined;
}

const withOption = (definition: Attribute, key: string, value: unknown): Attribute => {
  const { [key]: _, ...rest } = definition;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Attribute;
};

export function AttributeDialog({ draft, attribute, schemas, onDone, onClose }: AttributeDialogProps) {
  const id = useId();
  const [name, setName] = useState(attribute?.name ?? "");
  const isOfLocalizedType = draft.what === "type" && isLocalized(draft);
  const [definition, setDefinition] = useState<Attribute>(
    attribute?.definition ?? (isOfLocalizedType ? withLocalizedAttribute({ type: "string" }) : { type: "string" }),
  );
  const [isChecked, setChecked] = useState(false);
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  const guard = useGuardedClose(onClose);
  const problem = nameProblem(name, draft, attribute);
  const { type } = definition;
  const pluginOptions = (definition.pluginOptions ?? {}) as PluginOptions;
  const done = (): void => {
    setChecked(true);
    if (problem !== undefined || unreadable.size > 0) return;
    onDone(attribute ? { ...attribute, name, definition } : newAttribute(name, definition));
  };
  const mark = (key: string, isUnreadable: boolean): void =>
    setUnreadable((before) => (before.has(key) === isUnreadable ? before : before.symmetricDifference(new Set([key]))));
  // a key in the name renders none of them
  const options = useMemo(
    () =>
      listOptions(type, schemas).map((option) => (
        <OptionInput
          key={`${type}-${option.key}`}
          option={option}
          definition={definition}
          draft={draft}
          schemas={schemas}
          onChange={(value) => setDefinition((before) => withOption(before, option.key, value))}
          onUnreadable={(isUnreadable) => mark(option.key, isUnreadable)}
        />
      )),
    [definition, draft, schemas],
  );
  return (
    <Dialog
      title={attribute ? `Attribute ${attribute.name}` : "New attribute"}
      shape="wide"
      onClose={guard.close}
      actions={
        <>
          <button type="button" class="button" onClick={guard.close}>
            Cancel
          </button>
          <button type="button" class="button button-primary" onClick={done}>
            {attribute ? "Done" : "Add"}
          </button>
        </>
      }
    >
      <div class="type-grid" onInput={guard.onInput}>
        <div class="field">
          <label class="field-label" for={`${id}-name`}>
            Name
          </label>
          <input
            id={`${id}-name`}
            class="input"
            autofocus
            value={name}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={isChecked && problem !== undefined}
            aria-describedby={`${id}-name-note`}
            onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
            onKeyDown={({ key }) => {
              if (key === "Enter") done();
            }}
          />
          <p id={`${id}-name-note`} class={isChecked && problem ? "field-problem" : "hint"}>
            {isChecked && problem
              ? problem
              : attribute?.original && attribute.original !== name
                ? `Was ${attribute.original}. Its values are kept.`
                : "The key in the API."}
          </p>
        </div>
        <div class="field">
          <label class="field-label" for={`${id}-type`}>
            Type
          </label>
          <select
            id={`${id}-type`}
            class="input"
            value={type}
            aria-describedby={`${id}-type-note`}
            onChange={({ currentTarget }) => {
              setDefinition(withType(definition, currentTarget.value, schemas));
              setUnreadable(new Set());
            }}
          >
            {Object.entries(attributeKinds).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <p id={`${id}-type-note`} class="hint">
            {attributeKinds[type]?.hint}
          </p>
        </div>
        {options}
        <VisibilityInput
          draft={draft}
          attribute={attribute}
          definition={definition}
          onChange={(conditions) => setDefinition((before) => withOption(before, "conditions", conditions))}
        />
        {isOfLocalizedType ? (
          <label class="type-check">
            <input
              type="checkbox"
              checked={isLocalized({ pluginOptions })}
              onChange={({ currentTarget }) =>
                setDefinition(
                  withOption(definition, "pluginOptions", withLocalized(pluginOptions, currentTarget.checked)),
                )
              }
            />
            Different in each locale
          </label>
        ) : null}
      </div>
    </Dialog>
  );
}

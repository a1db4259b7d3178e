/** One attribute: its name, its type, and every option of the type. */
import type { RefObject } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { Attribute } from "../../model.ts";
import { Button } from "../../widgets/button.tsx";
import { Check } from "../../widgets/check.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { useGuardedClose } from "../../widgets/guarded-close.ts";
import { attributeKinds, withType } from "./attribute-options.ts";
import { missingOptions, nameProblem, wrongOptions } from "./attribute-problems.ts";
import {
  type Draft,
  type DraftAttribute,
  isLocalized,
  newAttribute,
  withLocalized,
  withLocalizedAttribute,
} from "./draft.ts";
import { OptionSections } from "./option-sections.tsx";
import type { PluginOptions, Schemas } from "./schemas.ts";
import { TypeGrid } from "./type-grid.tsx";
import { TypeIcon } from "./type-icon.tsx";
import { VisibilityInput } from "./visibility-input.tsx";

export interface AttributeDialogProps {
  readonly draft: Draft;
  /** Undefined for a new one. */
  readonly attribute: DraftAttribute | undefined;
  readonly schemas: Schemas;
  /** `isLast`: no other one follows in the same dialog. */
  readonly onDone: (attribute: DraftAttribute, isLast: boolean) => void;
  readonly onClose: () => void;
}

const withOption = (definition: Attribute, key: string, value: unknown): Attribute => {
  const { [key]: _, ...rest } = definition;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Attribute;
};

interface NameFieldProps {
  readonly name: string;
  readonly problem: string | undefined;
  /** Its name in the file, if it has another one now. */
  readonly before: string | undefined;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onChange: (name: string) => void;
  readonly onEnter: () => void;
}

function NameField({ name, problem, before, input, onChange, onEnter }: NameFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        Name
      </label>
      <input
        id={id}
        ref={input}
        class="input"
        autofocus
        value={name}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
        onKeyDown={({ key }) => {
          if (key === "Enter") onEnter();
        }}
      />
      <p id={`${id}-note`} class={problem ? "field-problem" : "hint"}>
        {problem ?? (before ? `Was ${before}. Its values are kept.` : "The key in the API.")}
      </p>
    </div>
  );
}

interface TypeChoiceProps {
  readonly type: string;
  /** Folded for an attribute that exists. */
  readonly isFolded: boolean;
  readonly onChange: (type: string) => void;
}

function TypeChoice({ type, isFolded, onChange }: TypeChoiceProps) {
  const grid = <TypeGrid value={type} onChange={onChange} />;
  if (!isFolded) return grid;
  return (
    <details class="kind-change">
      <summary class="row">
        <TypeIcon type={type} />
        <strong>{attributeKinds[type]?.label ?? type}</strong>
        <span class="hint">{attributeKinds[type]?.hint}</span>
        <span class="button-link">Change the type</span>
      </summary>
      {grid}
    </details>
  );
}

export function AttributeDialog({ draft, attribute, schemas, onDone, onClose }: AttributeDialogProps) {
  const [name, setName] = useState(attribute?.name ?? "");
  const isOfLocalizedType = draft.what === "type" && isLocalized(draft);
  const blank: Attribute = isOfLocalizedType ? withLocalizedAttribute({ type: "string" }) : { type: "string" };
  const [definition, setDefinition] = useState<Attribute>(attribute?.definition ?? blank);
  const [isChecked, setChecked] = useState(false);
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  /** Counts those that were added, so that the inputs of the next one are new. */
  const [count, setCount] = useState(0);
  const nameInput = useRef<HTMLInputElement>(null);
  const guard = useGuardedClose(onClose);
  const problem = nameProblem(name, draft, attribute, schemas.reserved);
  // an empty name is told when it is to be added
  const shownProblem = isChecked || name !== "" ? problem : undefined;
  const { type } = definition;
  const pluginOptions = (definition.pluginOptions ?? {}) as PluginOptions;
  const wrong = wrongOptions(definition);
  const missing = missingOptions(definition);
  const done = (isLast: boolean): void => {
    setChecked(true);
    const problems = [problem, ...Object.values(wrong), ...Object.values(missing)];
    if (problems.some((text) => text !== undefined) || unreadable.size > 0) return;
    onDone(attribute ? { ...attribute, name, definition } : newAttribute(name, definition), isLast);
    if (isLast) return;
    setName("");
    setDefinition(blank);
    setChecked(false);
    setCount(count + 1);
    nameInput.current?.focus();
  };
  const mark = (key: string, isUnreadable: boolean): void =>
    setUnreadable((before) => (before.has(key) === isUnreadable ? before : before.symmetricDifference(new Set([key]))));
  // a key in the name renders none of them
  const options = useMemo(
    () => (
      <OptionSections
        key={`${count}-${type}`}
        {...{ definition, draft, schemas }}
        findProblem={(key) => wrong[key] ?? (isChecked ? missing[key] : undefined)}
        onChange={(key, value) => setDefinition((before) => withOption(before, key, value))}
        onUnreadable={mark}
      />
    ),
    [definition, draft, schemas, isChecked, count],
  );
  return (
    <Dialog
      title={attribute ? `Attribute ${attribute.name}` : "New attribute"}
      shape="wide"
      onClose={guard.close}
      actions={
        <>
          <Button kind="ghost" text="Cancel" onClick={onClose} />
          {attribute ? null : <Button text="Add and another" onClick={() => done(false)} />}
          <Button kind="primary" text={attribute ? "Done" : "Add"} onClick={() => done(true)} />
        </>
      }
    >
      <div class="stack attribute-form" onInput={guard.onInput}>
        <NameField
          name={name}
          problem={shownProblem}
          before={attribute?.original === name ? undefined : attribute?.original}
          input={nameInput}
          onChange={setName}
          onEnter={() => done(true)}
        />
        <TypeChoice
          type={type}
          isFolded={attribute !== undefined}
          onChange={(next) => {
            setDefinition(withType(definition, next, schemas));
            setUnreadable(new Set());
          }}
        />
        {options}
        <div class="type-grid">
          <VisibilityInput
            draft={draft}
            attribute={attribute}
            definition={definition}
            onChange={(conditions) => setDefinition((before) => withOption(before, "conditions", conditions))}
          />
          {isOfLocalizedType ? (
            <Check
              class="type-check"
              label="Different in each locale"
              isOn={isLocalized({ pluginOptions })}
              onChange={(isOn) =>
                setDefinition(withOption(definition, "pluginOptions", withLocalized(pluginOptions, isOn)))
              }
            />
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}

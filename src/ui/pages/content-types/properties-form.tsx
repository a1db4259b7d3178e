/** What a type or component is besides its attributes. Names that the API is made of are fixed once they exist. */
import { useEffect, useId, useRef } from "preact/hooks";
import { Field } from "../../widgets/field.tsx";
import { SelectField } from "../../widgets/select.tsx";
import {
  type ComponentDraft,
  type Draft,
  isLocalized,
  type TypeDraft,
  toKebab,
  toPlural,
  withLocales,
} from "./draft.ts";

interface FormProps<D extends Draft> {
  readonly draft: D;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: D) => void;
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly isReadOnly: boolean;
  readonly hint?: string;
  /** As wide as all columns. */
  readonly isWide?: boolean;
  readonly onChange: (value: string) => void;
}

function TextField({ label, value, isReadOnly, hint, isWide, onChange }: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} isWide={isWide}>
      <input
        id={id}
        class="input"
        value={value}
        readOnly={isReadOnly}
        spellcheck={false}
        autocomplete="off"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (isOn: boolean) => void;
}

const Check = ({ label, isOn, isReadOnly, onChange }: CheckProps) => (
  <label class="type-check">
    <input
      type="checkbox"
      checked={isOn}
      disabled={isReadOnly}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
);

const FIXED = "Fixed: it is part of URLs and files.";

function TypeFields({ draft, isReadOnly, onChange }: FormProps<TypeDraft>) {
  const isNew = draft.uid === undefined;
  const rename = (displayName: string): void => {
    // API IDs follow the display name until the user edits them
    const before = toKebab(draft.displayName);
    const singularName = draft.singularName === before ? toKebab(displayName) : draft.singularName;
    const pluralName = draft.pluralName === toPlural(before) ? toPlural(toKebab(displayName)) : draft.pluralName;
    onChange(isNew ? { ...draft, displayName, singularName, pluralName } : { ...draft, displayName });
  };
  return (
    <>
      <TextField label="Display name" value={draft.displayName} isReadOnly={isReadOnly} onChange={rename} />
      <SelectField
        label="Kind"
        value={draft.kind}
        isDisabled={isReadOnly}
        options={[
          ["collectionType", "Collection type"],
          ["singleType", "Single type"],
        ]}
        onChoose={(kind) => onChange({ ...draft, kind: kind as TypeDraft["kind"] })}
      />
      <TextField
        label="API ID, singular"
        value={draft.singularName}
        isReadOnly={isReadOnly || !isNew}
        hint={isNew ? "Letters, digits and hyphens" : FIXED}
        onChange={(singularName) => onChange({ ...draft, singularName })}
      />
      <TextField
        label="API ID, plural"
        value={draft.pluralName}
        isReadOnly={isReadOnly || !isNew}
        hint={isNew ? `/api/${draft.pluralName}` : FIXED}
        onChange={(pluralName) => onChange({ ...draft, pluralName })}
      />
      <Check
        label="Draft and publish"
        isOn={draft.draftAndPublish}
        isReadOnly={isReadOnly}
        onChange={(draftAndPublish) => onChange({ ...draft, draftAndPublish })}
      />
      <Check
        label="Documents in several locales"
        isOn={isLocalized(draft)}
        isReadOnly={isReadOnly}
        onChange={(isOn) => onChange(withLocales(draft, isOn))}
      />
    </>
  );
}

const ComponentFields = ({ draft, isReadOnly, onChange }: FormProps<ComponentDraft>) => (
  <>
    <TextField
      label="Display name"
      value={draft.displayName}
      isReadOnly={isReadOnly}
      hint={draft.uid ? `UID: ${draft.uid}` : `${toKebab(draft.category)}.${toKebab(draft.displayName)}`}
      onChange={(displayName) => onChange({ ...draft, displayName })}
    />
    <TextField
      label="Category"
      value={draft.category}
      isReadOnly={isReadOnly}
      hint="The component's folder"
      onChange={(category) => onChange({ ...draft, category })}
    />
  </>
);

export function PropertiesForm({ draft, isReadOnly, onChange }: FormProps<Draft>) {
  const form = useRef<HTMLDivElement>(null);
  // a new one is begun by typing
  useEffect(() => {
    if (draft.uid === undefined) form.current?.querySelector("input")?.focus();
  }, [draft.what, draft.uid]);
  return (
    <div ref={form} class="type-grid">
      {draft.what === "type" ? (
        <TypeFields draft={draft} isReadOnly={isReadOnly} onChange={onChange} />
      ) : (
        <ComponentFields draft={draft} isReadOnly={isReadOnly} onChange={onChange} />
      )}
      <TextField
        label="Description"
        isWide
        value={draft.description}
        isReadOnly={isReadOnly}
        onChange={(description) => onChange({ ...draft, description })}
      />
    </div>
  );
}

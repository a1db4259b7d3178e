/** What a type or component is besides its attributes. Names that the API is made of are fixed once they exist. */
import { useEffect, useRef } from "preact/hooks";
import { Check } from "../../widgets/check.tsx";
import { SelectField } from "../../widgets/select.tsx";
import { TextField } from "../../widgets/text-field.tsx";
import { apiIdProblem } from "./attribute-problems.ts";
import {
  type ComponentDraft,
  type Draft,
  isLocalized,
  type TypeDraft,
  toKebab,
  toPlural,
  withLocales,
} from "./draft.ts";
import type { Schemas } from "./schemas.ts";

interface FormProps<D extends Draft> {
  readonly draft: D;
  readonly schemas: Schemas;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: D) => void;
}

/** Names, rather than words. */
const AS_WRITTEN = { spellcheck: false, autocomplete: "off" } as const;

const FIXED = "Fixed: it is part of URLs and files.";

function TypeFields({ draft, schemas, isReadOnly, onChange }: FormProps<TypeDraft>) {
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
      <TextField
        label="Display name"
        value={draft.displayName}
        readOnly={isReadOnly}
        {...AS_WRITTEN}
        onChange={rename}
      />
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
        readOnly={isReadOnly || !isNew}
        {...AS_WRITTEN}
        hint={isNew ? "Letters, digits and hyphens" : FIXED}
        problem={isNew ? apiIdProblem("singularName", draft, schemas) : undefined}
        onChange={(singularName) => onChange({ ...draft, singularName })}
      />
      <TextField
        label="API ID, plural"
        value={draft.pluralName}
        readOnly={isReadOnly || !isNew}
        {...AS_WRITTEN}
        hint={isNew ? `/api/${draft.pluralName}` : FIXED}
        problem={isNew ? apiIdProblem("pluralName", draft, schemas) : undefined}
        onChange={(pluralName) => onChange({ ...draft, pluralName })}
      />
      <Check
        class="type-check"
        label="Draft and publish"
        isOn={draft.draftAndPublish}
        isDisabled={isReadOnly}
        onChange={(draftAndPublish) => onChange({ ...draft, draftAndPublish })}
      />
      <Check
        class="type-check"
        label="Documents in several locales"
        isOn={isLocalized(draft)}
        isDisabled={isReadOnly}
        onChange={(isOn) => onChange(withLocales(draft, isOn))}
      />
    </>
  );
}

const ComponentFields = ({ draft, isReadOnly, onChange }: Omit<FormProps<ComponentDraft>, "schemas">) => (
  <>
    <TextField
      label="Display name"
      value={draft.displayName}
      readOnly={isReadOnly}
      {...AS_WRITTEN}
      hint={draft.uid ? `UID: ${draft.uid}` : `${toKebab(draft.category)}.${toKebab(draft.displayName)}`}
      onChange={(displayName) => onChange({ ...draft, displayName })}
    />
    <TextField
      label="Category"
      value={draft.category}
      readOnly={isReadOnly}
      {...AS_WRITTEN}
      hint="The component's folder"
      onChange={(category) => onChange({ ...draft, category })}
    />
  </>
);

export function PropertiesForm({ draft, schemas, isReadOnly, onChange }: FormProps<Draft>) {
  const form = useRef<HTMLDivElement>(null);
  // a new one is begun by typing
  useEffect(() => {
    if (draft.uid === undefined) form.current?.querySelector("input")?.focus();
  }, [draft.what, draft.uid]);
  return (
    <div ref={form} class="type-grid">
      {draft.what === "type" ? (
        <TypeFields draft={draft} schemas={schemas} isReadOnly={isReadOnly} onChange={onChange} />
      ) : (
        <ComponentFields draft={draft} isReadOnly={isReadOnly} onChange={onChange} />
      )}
      <TextField
        label="Description"
        isWide
        value={draft.description}
        readOnly={isReadOnly}
        {...AS_WRITTEN}
        onChange={(description) => onChange({ ...draft, description })}
      />
    </div>
  );
}

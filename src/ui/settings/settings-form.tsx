/** A form of settings on a page of its own. What is not saved is kept in the browser. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { formProblem } from "../api/form-problem.ts";
import { unsavedValues } from "../unsaved-values.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Field } from "../widgets/field.tsx";
import { showDone } from "../widgets/toasts.tsx";

type Value = string | boolean;
export type FormValues = Readonly<Record<string, Value>>;

const unsaved = unsavedValues<Value>("settings");

export interface SettingsFormState<Values extends FormValues> {
  /** The saved ones with the changes. */
  readonly values: Values;
  readonly isChanged: boolean;
  readonly set: (name: keyof Values & string, value: Value) => void;
  readonly discard: () => void;
}

/** `id`: of the form, in the browser's storage. */
export function useSettingsForm<Values extends FormValues>(id: string, saved: Values): SettingsFormState<Values> {
  // read each time: what is typed comes before the next rendering
  const readChanges = () =>
    Object.fromEntries(
      Object.entries(unsaved.of(id)).filter(([name, value]) => name in saved && saved[name] !== value),
    );
  const changes = readChanges();
  // what is saved now is no change any more, also once others save something else
  useEffect(() => {
    const current = readChanges();
    if (Object.keys(unsaved.of(id)).length > Object.keys(current).length) unsaved.set(id, current);
  });
  return {
    values: { ...saved, ...changes },
    isChanged: Object.keys(changes).length > 0,
    set: (name, value) => unsaved.set(id, { ...readChanges(), [name]: value }),
    discard: () => unsaved.set(id, {}),
  };
}

interface SettingsFormProps<Values extends FormValues> {
  readonly label: string;
  readonly form: SettingsFormState<Values>;
  readonly isReadOnly?: boolean;
  /** Rejects with the server's refusal. */
  readonly save: (values: Values) => Promise<unknown>;
  readonly reload: () => void;
  readonly children: ComponentChildren;
}

export function SettingsForm<Values extends FormValues>(props: SettingsFormProps<Values>) {
  const { label, form, isReadOnly = false, save, reload, children } = props;
  const { values, isChanged, discard } = form;
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isChanged || isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      await save(values);
      showDone("Saved");
      reload();
    } catch (error) {
      setProblem(formProblem(error));
    }
    setIsBusy(false);
  };
  return (
    <form class="stack settings-form" aria-label={label} autocomplete="off" onSubmit={submit}>
      <fieldset class="stack settings-fields" disabled={isReadOnly}>
        <legend class="visually-hidden">{label}</legend>
        {children}
      </fieldset>
      <Alert text={problem} />
      {isReadOnly ? null : (
        <div class="form-actions">
          <Button kind="ghost" text="Discard" disabled={!isChanged} onClick={discard} />
          <Button kind="primary" text="Save" type="submit" disabled={!isChanged} aria-disabled={isBusy} />
        </div>
      )}
    </form>
  );
}

interface TextFieldProps<Values extends FormValues> {
  readonly form: SettingsFormState<Values>;
  readonly name: keyof Values & string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly type?: "url" | "email";
  readonly isRequired?: boolean;
  /** Of a longer text. */
  readonly rows?: number;
}

export function SettingsText<Values extends FormValues>(props: TextFieldProps<Values>) {
  const { form, name, label, hint, rows, isRequired = false, type, placeholder } = props;
  const id = useId();
  const given = {
    id,
    placeholder,
    required: isRequired,
    "aria-describedby": hint ? `${id}-hint` : undefined,
    value: String(form.values[name]),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      form.set(name, currentTarget.value),
  };
  return (
    <Field id={id} label={label} hint={hint}>
      {rows === undefined ? (
        <input class="input" type={type as "text" | undefined} {...given} />
      ) : (
        <textarea class="input mono" rows={rows} spellcheck={false} {...given} />
      )}
    </Field>
  );
}

export const SettingsSwitch = <Values extends FormValues>({ form, name, label, hint }: TextFieldProps<Values>) => (
  <label class="settings-switch">
    <input
      type="checkbox"
      checked={form.values[name] === true}
      onChange={({ currentTarget }) => form.set(name, currentTarget.checked)}
    />
    <span>
      {label}
      {hint ? <span class="hint">{hint}</span> : null}
    </span>
  </label>
);

/** Enables a login provider, with what its own settings page gives. */
import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { formProblem } from "../../api/form-problem.ts";
import { CopyButton } from "../../widgets/copy-button.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { TextField } from "../../widgets/text-field.tsx";
import { showDone } from "../../widgets/toasts.tsx";
import { isEnabled, labelOf, PROVIDERS_PATH, type Provider, type Providers } from "./providers.ts";

interface ProviderField {
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "password" | "text";
  readonly placeholder?: string;
  /** Of those providers that have this key; of all but email by default. */
  readonly isOptional?: true;
}

const fields: readonly ProviderField[] = [
  { key: "key", label: "Client ID" },
  { key: "secret", label: "Client secret", type: "password" },
  {
    key: "callback",
    label: "Page of your site",
    placeholder: "https://example.org/signed-in",
    hint: "Users come back to it with an access token, which it exchanges for a session.",
  },
  { key: "subdomain", label: "Host", hint: "Of your account at the provider, without https://", isOptional: true },
  { key: "jwksurl", label: "URL of its keys (JWKS)", isOptional: true },
];

interface ProviderDialogProps {
  readonly name: string;
  readonly provider: Provider;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function ProviderDialog({ name, provider, onSaved, onClose }: ProviderDialogProps) {
  const shown =
    name === "email" ? [] : fields.filter(({ key, isOptional }) => !isOptional || Object.hasOwn(provider, key));
  const [enabled, setEnabled] = useState(isEnabled(provider));
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(shown.map(({ key }) => [key, String(provider[key] ?? "")])),
  );
  const [problem, setProblem] = useState<string>();
  const isIncomplete = enabled && shown.some(({ key }) => (key === "key" || key === "secret") && values[key] === "");
  const save = async (): Promise<void> => {
    try {
      // others may have changed another one
      const { [name]: current, ...others } = await api.get<Providers>(PROVIDERS_PATH);
      const { redirectUri: _, ...stored } = current ?? {};
      await api.put(PROVIDERS_PATH, { providers: { ...others, [name]: { ...stored, ...values, enabled } } });
      showDone(`Saved ${labelOf(name)}`);
      onSaved();
    } catch (error) {
      setProblem(formProblem(error));
    }
  };
  return (
    <FormDialog
      title={labelOf(name)}
      action="Save"
      isGuarded
      canSubmit={!isIncomplete}
      problem={problem}
      onSubmit={save}
      onClose={onClose}
    >
      <label class="settings-switch">
        <input type="checkbox" checked={enabled} onChange={({ currentTarget }) => setEnabled(currentTarget.checked)} />
        <span>
          Users may sign in with it
          {isIncomplete ? <span class="hint">It needs an ID and a secret, which the provider gives.</span> : null}
        </span>
      </label>
      {shown.map(({ key, label, hint, type = "text", placeholder }) => (
        <TextField
          key={key}
          label={label}
          hint={hint}
          type={type}
          autocomplete={type === "password" ? "new-password" : "off"}
          {...(placeholder ? { placeholder } : {})}
          value={values[key] ?? ""}
          onChange={(value) => setValues((before) => ({ ...before, [key]: value }))}
        />
      ))}
      {typeof provider.redirectUri === "string" ? (
        <div class="field">
          <span class="field-label">Redirect URL, for the settings of the provider</span>
          <div class="row secret">
            <code>{provider.redirectUri}</code>
            <CopyButton text={provider.redirectUri} label="Copy the redirect URL" />
          </div>
        </div>
      ) : null}
    </FormDialog>
  );
}

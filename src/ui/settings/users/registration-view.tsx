/** Whether and how people register, of `/users-permissions/advanced`. */
import { api } from "../../api/client.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { start } from "../../model.ts";
import { Alert } from "../../widgets/alert.tsx";
import { SelectField } from "../../widgets/select.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { type FormValues, SettingsForm, SettingsSwitch, SettingsText, useSettingsForm } from "../settings-form.tsx";
import { UnsentNotice } from "./mail-delivery.tsx";

const PATH = "/users-permissions/advanced";

interface Advanced {
  readonly settings: Readonly<Record<string, string | boolean | null | undefined>>;
  readonly roles: readonly { readonly type: string; readonly name: string }[];
}

/** Of `config/galley.json`, which overrides what is stored. */
interface Configured {
  readonly data: { readonly configured: readonly string[] };
}

const switches = ["allow_register", "email_confirmation", "unique_email"];
const texts = ["default_role", "email_confirmation_redirection", "email_reset_password"];

const toValues = ({ settings }: Advanced): FormValues =>
  Object.fromEntries([
    ...switches.map((name) => [name, settings[name] === true] as const),
    ...texts.map((name) => [name, settings[name] ? String(settings[name]) : ""] as const),
  ]);

interface RegistrationFormProps {
  readonly advanced: Advanced;
  readonly configured: readonly string[];
  readonly reload: () => void;
}

function RegistrationForm({ advanced, configured, reload }: RegistrationFormProps) {
  const form = useSettingsForm("registration", toValues(advanced));
  const isReadOnly = configured.length > 0;
  return (
    <>
      {isReadOnly ? (
        <p class="notice">
          <span class="notice-text">
            <code>{start.value?.settingsSource.file}</code> sets {configured.map((name) => `auth.${name}`).join(", ")}:
            these settings are changed there.
          </span>
        </p>
      ) : null}
      <SettingsForm
        label="Registration"
        form={form}
        isReadOnly={isReadOnly}
        save={(values) => api.put(PATH, values)}
        reload={reload}
      >
        <SettingsSwitch
          form={form}
          name="allow_register"
          label="Anyone may register"
          hint="Otherwise only you create users, under Access."
        />
        <SettingsSwitch
          form={form}
          name="unique_email"
          label="One account per email address"
          hint="Also for those who sign in with a provider."
        />
        <SettingsSwitch
          form={form}
          name="email_confirmation"
          label="New users confirm their email address"
          hint="They get an email with a link, and can sign in once they have followed it."
        />
        {form.values.email_confirmation === true ? <UnsentNotice /> : null}
        <SelectField
          label="Role of new users"
          value={String(form.values.default_role)}
          isDisabled={isReadOnly}
          options={advanced.roles.map(({ type, name }) => [type, name])}
          onChoose={(role) => form.set("default_role", role)}
        />
        <SettingsText
          form={form}
          name="email_confirmation_redirection"
          label="Page after a confirmation"
          isRequired={form.values.email_confirmation === true}
          type="url"
          placeholder="https://example.org/welcome"
          hint="Where the link in that email finally leads."
        />
        <SettingsText
          form={form}
          name="email_reset_password"
          label="Page to choose a new password"
          type="url"
          placeholder="https://example.org/reset-password"
          hint="Emails about forgotten passwords link to it."
        />
      </SettingsForm>
    </>
  );
}

export function RegistrationView() {
  const advanced = useAnswer<Advanced>(PATH);
  const configured = useAnswer<Configured>("/user-settings");
  const reload = (): void => {
    advanced.reload();
    configured.reload();
  };
  const isLoaded = advanced.data && configured.data;
  const problem = advanced.problem ?? configured.problem;
  return (
    <div class="stack settings-view" aria-busy={!isLoaded && !problem}>
      <h2 class="visually-hidden">Registration</h2>
      <p class="muted">Users of your site: how they register, and where emails lead them.</p>
      <Alert class="page-problem" text={problem} retry={reload} />
      {advanced.data && configured.data ? (
        <RegistrationForm advanced={advanced.data} configured={configured.data.data.configured} reload={reload} />
      ) : problem ? null : (
        <SkeletonLines />
      )}
    </div>
  );
}

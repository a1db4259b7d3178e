/** The texts of mails to users, of `/users-permissions/email-templates`. */
import { api } from "../../api/client.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { PageProps } from "../../page.ts";
import { hrefTo } from "../../router.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { Alert } from "../../widgets/alert.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { SettingsForm, SettingsText, useSettingsForm } from "../settings-form.tsx";
import { MailDelivery } from "./mail-delivery.tsx";

const PATH = "/users-permissions/email-templates";

interface Template {
  readonly options?: {
    readonly from?: { readonly name?: string; readonly email?: string };
    readonly response_email?: string;
    readonly object?: string;
    readonly message?: string;
  };
}

type Templates = Readonly<Record<string, Template>>;

/** Those that Strapi has, with what they are sent for. */
const names: Readonly<Record<string, readonly [label: string, hint: string]>> = {
  reset_password: ["Reset password", "To somebody who has forgotten the password."],
  email_confirmation: ["Confirm address", "To somebody who has registered."],
};
const labelOf = (name: string): string => names[name]?.[0] ?? name;

const VARIABLES =
  "As <%= URL %>: URL, TOKEN (to reset a password), CODE (to confirm an address), USER.username, USER.email, SERVER_URL, ADMIN_URL.";

interface MailFormProps {
  readonly name: string;
  readonly templates: Templates;
  readonly reload: () => void;
}

function MailForm({ name, templates, reload }: MailFormProps) {
  const template = templates[name]!;
  const { from, response_email, object, message } = template.options ?? {};
  const form = useSettingsForm(`mail ${name}`, {
    sender: from?.name ?? "",
    email: from?.email ?? "",
    replyTo: response_email ?? "",
    subject: object ?? "",
    message: message ?? "",
  });
  const save = async (values: typeof form.values): Promise<void> => {
    // others may have changed another one
    const current = await api.get<Templates>(PATH);
    const options = {
      ...current[name]?.options,
      from: { name: values.sender, email: values.email },
      response_email: values.replyTo,
      object: values.subject,
      message: values.message,
    };
    await api.put(PATH, { "email-templates": { ...current, [name]: { ...current[name], options } } });
  };
  return (
    <>
      <header class="page-head settings-head">
        <a class="button-icon" href={hrefTo("settings", ["mails"])} aria-label="All emails">
          <Icon name="back" />
        </a>
        <h2>{labelOf(name)}</h2>
      </header>
      <SettingsForm label={labelOf(name)} form={form} save={save} reload={reload}>
        <div class="settings-pair">
          <SettingsText form={form} name="sender" label="Sender" isRequired />
          <SettingsText form={form} name="email" label="Address of the sender" type="email" isRequired />
        </div>
        <SettingsText form={form} name="replyTo" label="Replies go to" type="email" />
        <SettingsText form={form} name="subject" label="Subject" isRequired />
        <SettingsText form={form} name="message" label="Message" rows={14} isRequired hint={VARIABLES} />
      </SettingsForm>
    </>
  );
}

const MailList = ({ templates }: { readonly templates: Templates }) => (
  <>
    <h2 class="visually-hidden">Emails</h2>
    <p class="muted">What users get when they register or have forgotten their password.</p>
    <ul class="settings-list">
      {Object.entries(templates).map(([name, { options }]) => (
        <li key={name}>
          <a class="settings-row" href={hrefTo("settings", ["mails", name])}>
            <strong>{labelOf(name)}</strong>
            <span class="hint settings-row-note">{options?.object}</span>
            <span class="muted">{names[name]?.[1]}</span>
          </a>
        </li>
      ))}
    </ul>
    <MailDelivery />
  </>
);

export function MailsView({ segments: [name, ...others] }: PageProps) {
  const { data: templates, problem, reload } = useAnswer<Templates>(PATH);
  const isUnknown = others.length > 0 || (name !== undefined && templates && !Object.hasOwn(templates, name));
  return (
    <div class="stack settings-view" aria-busy={!templates && !problem}>
      <Alert class="page-problem" text={problem} retry={reload} />
      {templates || problem ? null : <SkeletonLines />}
      {isUnknown ? <NotFound /> : null}
      {templates && name === undefined ? <MailList templates={templates} /> : null}
      {templates && name !== undefined && !isUnknown ? (
        <MailForm key={name} name={name} templates={templates} reload={reload} />
      ) : null}
    </div>
  );
}

/** How emails are sent, which the file of settings or a provider of the project decides, and a test of it. */
import { useId, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { start } from "../../model.ts";
import { Button } from "../../widgets/button.tsx";
import { Field } from "../../widgets/field.tsx";
import { useWork } from "../../widgets/use-work.ts";

interface EmailSettings {
  readonly config: { readonly provider: string; readonly settings: { readonly defaultFrom: string } };
}

/** Where emails go that are not sent, by the provider. */
const unsent: Readonly<Record<string, string>> = {
  outbox: "are written to .galley/outbox",
  discard: "are dropped",
};

const useEmailSettings = (): EmailSettings["config"] | undefined =>
  useAnswer<EmailSettings>("/email/settings").data?.config;

function Unsent({ provider = "" }: { readonly provider: string | undefined }) {
  const place = unsent[provider];
  return place ? (
    <p class="notice">
      <span class="notice-text">
        Emails are not sent: they {place}. <code>email</code> in <code>{start.value?.settingsSource.file}</code> says
        how they are sent.
      </span>
    </p>
  ) : null;
}

/** Nothing where emails are sent. */
export const UnsentNotice = () => <Unsent provider={useEmailSettings()?.provider} />;

function TestForm({ done }: { readonly done: (to: string) => string }) {
  const [to, setTo] = useState("");
  const [isBusy, run] = useWork();
  const id = useId();
  const send = (event: Event): void => {
    event.preventDefault();
    void run(() => api.post("/email/test", { to }), done(to));
  };
  return (
    <form class="why-form" autocomplete="off" onSubmit={send}>
      <Field id={id} label="Send a test to">
        <input
          id={id}
          class="input"
          type={"email" as "text"}
          required
          value={to}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </Field>
      <Button text="Send" type="submit" aria-disabled={isBusy} />
    </form>
  );
}

export function MailDelivery() {
  const config = useEmailSettings();
  if (!config) return null;
  const { provider, settings } = config;
  return (
    <section class="stack settings-section" aria-label="Delivery">
      <h3>Delivery</h3>
      {Object.hasOwn(unsent, provider) ? (
        <Unsent provider={provider} />
      ) : (
        <p class="muted">
          Sent by {provider} from {settings.defaultFrom}.
        </p>
      )}
      <TestForm done={(to) => (unsent[provider] ? `Not sent: emails ${unsent[provider]}` : `Sent to ${to}`)} />
    </section>
  );
}

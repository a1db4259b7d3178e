/** Creates or edits a webhook. The values of stored headers are not shown: what is left empty stays as it is. */
import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { formProblem } from "../../api/form-problem.ts";
import { IconButton } from "../../widgets/button.tsx";
import { Check } from "../../widgets/check.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { TextField } from "../../widgets/text-field.tsx";
import { showDone } from "../../widgets/toasts.tsx";
import { EventName } from "./event-text.tsx";
import { WEBHOOKS_PATH, type Webhook } from "./webhook-requests.ts";

interface Header {
  readonly key: number;
  readonly name: string;
  /** Undefined: the stored one. */
  readonly value: string | undefined;
}

interface WebhookDialogProps {
  /** Undefined: a new one. */
  readonly webhook: Webhook | undefined;
  readonly events: readonly string[];
  readonly onSaved: (id: string) => void;
  readonly onClose: () => void;
}

interface HeadersProps {
  readonly headers: readonly Header[];
  readonly onChange: (headers: readonly Header[]) => void;
}

let lastKey = 0;

function canBeHeader(name: string, value: string): boolean {
  try {
    return new globalThis.Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

/** Strapi stores any header; a request with this one would fail. Undefined for one that can be sent. */
function headerProblem({ name, value = "" }: Header): string | undefined {
  if (!canBeHeader(name.trim(), "")) return `No header can be named ${name.trim()}`;
  return canBeHeader(name.trim(), value)
    ? undefined
    : `The value of ${name.trim()} has characters that no header can have`;
}

function Headers({ headers, onChange }: HeadersProps) {
  const change = (key: number, changes: Partial<Header>): void =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...changes } : header)));
  return (
    <fieldset class="stack settings-group">
      <legend class="field-label">Headers</legend>
      {headers.map(({ key, name, value }, index) => (
        <div key={key} class="header-row">
          <input
            class="input mono"
            aria-label={`Name of header ${index + 1}`}
            placeholder="Authorization"
            // with another name, the stored value is not its own
            readOnly={value === undefined}
            value={name}
            onInput={({ currentTarget }) => change(key, { name: currentTarget.value })}
          />
          <input
            class="input mono"
            type="password"
            autocomplete="new-password"
            aria-label={`Value of header ${index + 1}`}
            placeholder={value === undefined ? "unchanged" : "value"}
            value={value ?? ""}
            onInput={({ currentTarget }) => change(key, { value: currentTarget.value })}
          />
          <IconButton
            icon="close"
            label={`Remove header ${index + 1}`}
            onClick={() => onChange(headers.filter((header) => header.key !== key))}
          />
        </div>
      ))}
      <button
        type="button"
        class="button button-small button-ghost settings-add"
        onClick={() => onChange([...headers, { key: ++lastKey, name: "", value: "" }])}
      >
        <Icon name="add" />
        Add a header
      </button>
    </fieldset>
  );
}

interface EventsProps {
  readonly events: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

const EventChoices = ({ events, chosen, onChange }: EventsProps) => (
  <fieldset class="stack settings-group">
    <legend class="field-label">Sent when</legend>
    {chosen.size === 0 ? <p class="hint">At least one of these</p> : null}
    <div class="event-choices">
      {events.map((event) => (
        <Check
          key={event}
          label={<EventName event={event} />}
          isOn={chosen.has(event)}
          onChange={() => onChange(chosen.symmetricDifference(new Set([event])))}
        />
      ))}
    </div>
  </fieldset>
);

export function WebhookDialog({ webhook, events, onSaved, onClose }: WebhookDialogProps) {
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(webhook?.events));
  const [headers, setHeaders] = useState<readonly Header[]>(
    () => webhook?.headers.map((header) => ({ key: ++lastKey, name: header, value: undefined })) ?? [],
  );
  const [problem, setProblem] = useState<string>();
  // one that a project no longer has can be taken away
  const offered = [...new Set([...events, ...(webhook?.events ?? [])])];
  const named = headers.filter((header) => header.name.trim() !== "");
  const save = async (): Promise<void> => {
    const refused = named.map(headerProblem).find((text) => text !== undefined);
    if (refused !== undefined) return setProblem(refused);
    const values = {
      name: name.trim(),
      url: url.trim(),
      events: offered.filter((event) => chosen.has(event)),
      headers: Object.fromEntries(named.map((header) => [header.name.trim(), header.value ?? null])),
    };
    try {
      const { data } = webhook
        ? await api.put<{ data: Webhook }>(`${WEBHOOKS_PATH}/${webhook.id}`, {
            ...values,
            isEnabled: webhook.isEnabled,
          })
        : await api.post<{ data: Webhook }>("/admin/webhooks", values);
      showDone(webhook ? "Saved" : `Created ${values.name}`);
      onSaved(data.id);
    } catch (error) {
      setProblem(formProblem(error));
    }
  };
  return (
    <FormDialog
      title={webhook ? `Edit ${webhook.name}` : "New webhook"}
      action={webhook ? "Save" : "Create"}
      isGuarded
      canSubmit={name.trim() !== "" && url.trim() !== "" && chosen.size > 0}
      problem={problem}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={255} onChange={setName} />
      <TextField
        label="URL"
        class="input mono"
        inputMode="url"
        placeholder="https://example.org/api/revalidate"
        value={url}
        onChange={setUrl}
      />
      <EventChoices events={offered} chosen={chosen} onChange={setChosen} />
      <Headers headers={headers} onChange={setHeaders} />
    </FormDialog>
  );
}

/** The stored webhooks. Those of an import are confirmed here; requests with their events are described in the manual. */
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Alert } from "../widgets/alert.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { useWork } from "../widgets/use-work.ts";

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
  /** It is called once somebody has confirmed it: it was imported, and its host is not public. */
  readonly isUnconfirmed?: boolean;
}

const PATH = "/admin/webhooks";

export function Webhooks() {
  const { data: answer, problem, reload } = useAnswer<{ data: readonly Webhook[] }>(PATH);
  const [isBusy, run] = useWork(reload);
  // any change confirms a webhook
  const save = (webhook: Webhook, changes: Partial<Webhook>, done: string): Promise<void> => {
    const { name, url, headers, events, isEnabled } = { ...webhook, ...changes };
    return run(() => api.put(`${PATH}/${webhook.id}`, { name, url, headers, events, isEnabled }), done);
  };
  const remove = async ({ id, name }: Webhook): Promise<void> => {
    const text = "Its URL gets no more requests. This cannot be undone.";
    if (!(await confirm({ title: `Delete ${name}?`, text, action: "Delete", isDangerous: true }))) return;
    await run(() => api.delete(`${PATH}/${id}`), `Deleted ${name}`);
  };
  const listActions = (webhook: Webhook): readonly (readonly [label: string, run: () => void])[] => {
    const { name, isEnabled } = webhook;
    return [
      ...(webhook.isUnconfirmed ? ([["Confirm", () => save(webhook, {}, `Confirmed ${name}`)]] as const) : []),
      isEnabled
        ? ["Disable", () => save(webhook, { isEnabled: false }, `Disabled ${name}`)]
        : ["Enable", () => save(webhook, { isEnabled: true }, `Enabled ${name}`)],
      ["Delete", () => remove(webhook)],
    ];
  };
  return (
    <>
      <p class="muted">
        <code>webhooks.send</code> in <code>config/galley.json</code> says which hosts are called. An imported webhook
        to a host that is not public is called once it is confirmed.
      </p>
      <Alert class="page-problem" text={problem} />
      {answer?.data.length === 0 ? <p>There are no webhooks.</p> : null}
      <ul class="access-list">
        {answer?.data.map((webhook) => (
          <li key={webhook.id} class="access-item">
            <div>
              <strong>{webhook.name}</strong> <code>{webhook.url}</code>
              {webhook.isUnconfirmed ? <span class="badge">Not confirmed</span> : null}
              {webhook.isEnabled ? null : <span class="badge">Disabled</span>}
              <p class="muted">{webhook.events.join(", ")}</p>
            </div>
            <div class="page-actions">
              {listActions(webhook).map(([label, act]) => (
                <button
                  key={label}
                  type="button"
                  class={`button${label === "Delete" ? " button-danger-text" : ""}`}
                  disabled={isBusy}
                  aria-label={`${label} ${webhook.name}`}
                  onClick={act}
                >
                  {label}
                </button>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

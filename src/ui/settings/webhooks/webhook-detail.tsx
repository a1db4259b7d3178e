/** A webhook: what it calls, for which events, and its last deliveries. */
import { useEffect } from "preact/hooks";
import { api } from "../../api/client.ts";
import { goTo, hrefTo } from "../../router.ts";
import { Button } from "../../widgets/button.tsx";
import { confirm } from "../../widgets/confirm.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { useWork } from "../../widgets/use-work.ts";
import { Deliveries } from "./deliveries.tsx";
import { EventName } from "./event-text.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WEBHOOKS_PATH, type Webhook } from "./webhook-requests.ts";

/** Deliveries are no change of the content, of which the server would tell. */
const RELOAD_MS = 3_000;

interface WebhookDetailProps {
  readonly webhook: Webhook;
  readonly events: readonly string[];
  readonly reload: () => void;
  readonly isEdited: boolean;
  readonly onEdit: (isEdited: boolean) => void;
}

/** The request of Strapi's test. */
async function sendTest({ id }: Webhook): Promise<void> {
  const { data } = await api.post<{ data: { statusCode: number; message?: string } }>(`/admin/webhooks/${id}/trigger`);
  if (data.statusCode >= 300) throw new Error(`The test failed: ${data.statusCode} ${data.message ?? ""}`);
}

export function WebhookDetail({ webhook, events, reload, isEdited, onEdit }: WebhookDetailProps) {
  const { id, name, url, headers, isEnabled, isUnconfirmed, problem } = webhook;
  const [isBusy, run] = useWork(reload);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, RELOAD_MS);
    return () => clearInterval(timer);
  }, [reload]);
  // any change confirms a webhook
  const save = (changes: { readonly isEnabled?: boolean }, done: string): Promise<unknown> => {
    const stored = Object.fromEntries(headers.map((header) => [header, null]));
    const values = { name, url, events: webhook.events, headers: stored, isEnabled, ...changes };
    return run(() => api.put(`${WEBHOOKS_PATH}/${id}`, values), done);
  };
  const remove = async (): Promise<void> => {
    const text = "Its URL gets no more requests, and its deliveries are forgotten. This cannot be undone.";
    if (!(await confirm({ title: `Delete ${name}?`, text, action: "Delete", isDangerous: true }))) return;
    await run(async () => {
      await api.delete(`/admin/webhooks/${id}`);
      goTo(hrefTo("settings", ["webhooks"]));
    }, `Deleted ${name}`);
  };
  return (
    <>
      <header class="page-head settings-head">
        <a class="button-icon" href={hrefTo("settings", ["webhooks"])} aria-label="All webhooks">
          <Icon name="back" />
        </a>
        <h2>{name}</h2>
        {isEnabled ? null : <span class="badge">Disabled</span>}
        <div class="page-actions">
          <Button
            kind="ghost"
            text="Send a test"
            aria-disabled={isBusy}
            onClick={() => void run(() => sendTest(webhook), "The test was received")}
          />
          <Button text="Edit" onClick={() => onEdit(true)} />
          <Menu
            label="More actions"
            items={[
              isEnabled
                ? { id: "disable", label: "Disable", run: () => void save({ isEnabled: false }, `Disabled ${name}`) }
                : { id: "enable", label: "Enable", run: () => void save({ isEnabled: true }, `Enabled ${name}`) },
              { id: "delete", label: "Delete", isDangerous: true, run: () => void remove() },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </div>
      </header>
      {isUnconfirmed ? (
        <div class="notice">
          <span class="notice-text">
            It was imported, and its host is not public: it is called once it is confirmed.
          </span>
          <Button kind="small" text="Confirm" disabled={isBusy} onClick={() => void save({}, `Confirmed ${name}`)} />
        </div>
      ) : problem ? (
        <p class="notice">
          <span>
            It is not called: {problem}. <code>webhooks</code> in <code>config/galley.json</code> says which hosts are.
          </span>
        </p>
      ) : null}
      <dl class="facts">
        <dt>URL</dt>
        <dd>
          <code>{url}</code>
        </dd>
        <dt>Events</dt>
        <dd>
          {webhook.events.map((event, index) => (
            <span key={event}>
              {index > 0 ? ", " : ""}
              <EventName event={event} />
            </span>
          ))}
        </dd>
        {headers.length > 0 ? (
          <>
            <dt>Headers</dt>
            <dd>
              <code>{headers.join(", ")}</code>
            </dd>
          </>
        ) : null}
      </dl>
      <Deliveries deliveries={webhook.deliveries} reload={reload} />
      {isEdited ? (
        <WebhookDialog
          webhook={webhook}
          events={events}
          onSaved={() => {
            onEdit(false);
            reload();
          }}
          onClose={() => onEdit(false)}
        />
      ) : null}
    </>
  );
}

/** The stored webhooks, and one of them with its last deliveries. Requests with their events are described in the manual. */
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import type { PageProps } from "../../page.ts";
import { goTo, hrefTo } from "../../router.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { Alert } from "../../widgets/alert.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { TimeAgo } from "../../widgets/time-ago.tsx";
import { eventText } from "./event-text.tsx";
import { WebhookDetail } from "./webhook-detail.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { hasFailed, WEBHOOKS_PATH, type Webhook, type WebhooksAnswer } from "./webhook-requests.ts";

function WebhookItem({ webhook }: { readonly webhook: Webhook }) {
  const { id, name, url, events, isEnabled, isUnconfirmed, problem, deliveries } = webhook;
  const [last] = deliveries;
  return (
    <li>
      <a class="settings-row" href={hrefTo("settings", ["webhooks", id])}>
        <span class="row settings-row-name">
          <strong>{name}</strong>
          {isEnabled ? null : <span class="badge">Disabled</span>}
          {isUnconfirmed ? <span class="badge">Not confirmed</span> : null}
          {problem && !isUnconfirmed ? <span class="badge">Not called</span> : null}
          {last && hasFailed(last) ? <span class="badge badge-danger">Failed</span> : null}
        </span>
        <span class="hint settings-row-note">
          {last ? (
            <>
              sent <TimeAgo time={last.sentAt} />
            </>
          ) : (
            "never sent"
          )}
        </span>
        <code class="muted">{url}</code>
        <span class="hint settings-row-note">
          {events.length === 1 ? eventText(events[0]!) : `${events.length} events`}
        </span>
      </a>
    </li>
  );
}

interface WebhookListProps {
  readonly answer: WebhooksAnswer | undefined;
  readonly onNew: () => void;
}

function WebhookList({ answer, onNew }: WebhookListProps) {
  const isEmpty = answer?.data.length === 0;
  return (
    <>
      <header class="page-head settings-head">
        <h2 class="visually-hidden">Webhooks</h2>
        <p class="muted settings-intro">
          Requests that tell other programs of a change, such as a site that has to be built again.
        </p>
        {isEmpty ? null : (
          <div class="page-actions">
            <Button kind="primary" text="New webhook" disabled={!answer} onClick={onNew} />
          </div>
        )}
      </header>
      {isEmpty ? (
        <Empty icon="link" text="There are no webhooks.">
          <Button kind="primary" text="New webhook" onClick={onNew} />
        </Empty>
      ) : null}
      {answer && !isEmpty ? (
        <ul class="settings-list">
          {answer.data.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

export function WebhooksView({ segments: [id, ...others] }: PageProps) {
  const { data: answer, problem, reload } = useAnswer<WebhooksAnswer>(WEBHOOKS_PATH);
  const [isNew, setIsNew] = useState(false);
  const [edited, setEdited] = useState<Webhook>();
  // one that somebody deletes meanwhile does not take away what was entered
  const webhook = answer?.data.find((item) => item.id === id) ?? (edited?.id === id ? edited : undefined);
  const isUnknown = others.length > 0 || (id !== undefined && answer !== undefined && !webhook);
  return (
    <div class="stack settings-view" aria-busy={!answer && !problem}>
      <Alert class="page-problem" text={problem} retry={reload} />
      {isUnknown ? <NotFound /> : null}
      {id === undefined ? <WebhookList answer={answer} onNew={() => setIsNew(true)} /> : null}
      {answer && webhook && !isUnknown ? (
        <WebhookDetail
          key={id}
          webhook={webhook}
          events={answer.events}
          reload={reload}
          isEdited={edited?.id === id}
          onEdit={(isEdited) => setEdited(isEdited ? webhook : undefined)}
        />
      ) : null}
      {answer || problem ? null : <SkeletonLines />}
      {isNew && answer ? (
        <WebhookDialog
          webhook={undefined}
          events={answer.events}
          onSaved={(created) => {
            setIsNew(false);
            reload();
            goTo(hrefTo("settings", ["webhooks", created]));
          }}
          onClose={() => setIsNew(false)}
        />
      ) : null}
    </div>
  );
}

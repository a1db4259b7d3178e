/** The last requests to a webhook: what came of them, their bodies, and sending one again. */
import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Alert } from "../../widgets/alert.tsx";
import { Button } from "../../widgets/button.tsx";
import { CopyButton } from "../../widgets/copy-button.tsx";
import { TimeAgo } from "../../widgets/time-ago.tsx";
import { attempt, showDone } from "../../widgets/toasts.tsx";
import { EventName, eventText } from "./event-text.tsx";
import { DELIVERIES_PATH, type Delivery, hasFailed } from "./webhook-requests.ts";

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // made by own code
    return text;
  }
}

function DeliveryBody({ id }: Pick<Delivery, "id">) {
  const { data: answer, problem } = useAnswer<{ data: { readonly body: string } }>(`${DELIVERIES_PATH}/${id}`);
  const text = answer && formatJson(answer.data.body);
  return (
    <div class="stack delivery-body">
      <Alert text={problem} />
      {text === undefined ? null : (
        <>
          <CopyButton text={text} label="Copy the body" />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0}>{text}</pre>
        </>
      )}
    </div>
  );
}

const outcomeText = ({ status }: Delivery): string => (status === null ? "Not sent" : String(status));

interface DeliveryItemProps {
  readonly delivery: Delivery;
  readonly isBusy: boolean;
  readonly onRepeat: () => void;
}

function DeliveryItem({ delivery, isBusy, onRepeat }: DeliveryItemProps) {
  const { id, event, sentAt, status, message, milliseconds, hasBody } = delivery;
  const [isOpen, setIsOpen] = useState(false);
  const isFailed = hasFailed(delivery);
  const name = `${eventText(event)}, ${new Date(sentAt).toLocaleString()}`;
  return (
    <li class="delivery">
      <div class="row delivery-head">
        <span class={isFailed ? "badge badge-danger" : "badge"}>{outcomeText(delivery)}</span>
        <EventName event={event} />
        <span class="hint">
          <TimeAgo time={sentAt} />
          {status === null ? "" : ` · ${milliseconds} ms`}
        </span>
        <span class="page-actions">
          <Button
            kind="small-ghost"
            text="Body"
            disabled={!hasBody}
            aria-expanded={isOpen}
            aria-label={`Body of ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          />
          <Button
            kind="small-ghost"
            text="Send again"
            disabled={!hasBody}
            aria-disabled={isBusy}
            aria-label={`Send again: ${name}`}
            onClick={onRepeat}
          />
        </span>
      </div>
      {isFailed && message ? <p class="hint delivery-problem">{message}</p> : null}
      {hasBody ? null : <p class="hint">Its body was too long to be kept.</p>}
      {isOpen ? <DeliveryBody id={id} /> : null}
    </li>
  );
}

interface DeliveriesProps {
  readonly deliveries: readonly Delivery[];
  readonly reload: () => void;
}

export function Deliveries({ deliveries, reload }: DeliveriesProps) {
  const [isBusy, setIsBusy] = useState(false);
  const repeat = async ({ id, event }: Delivery): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    await attempt(async () => {
      const { data } = await api.post<{ data: Delivery }>(`${DELIVERIES_PATH}/${id}/repeat`);
      if (hasFailed(data))
        throw new Error(`${eventText(event)} was sent again, and failed: ${data.status} ${data.message}`);
      showDone(`Sent again: ${eventText(event)}, ${data.status}`);
    });
    setIsBusy(false);
    reload();
  };
  return (
    <section class="stack settings-section" aria-label="Last deliveries">
      <h3>Last deliveries</h3>
      {deliveries.length === 0 ? (
        <p class="muted">
          No event was sent yet. The last 20 requests are kept for 30 days, with their responses. Tests are not.
        </p>
      ) : (
        <ul class="deliveries">
          {deliveries.map((delivery) => (
            <DeliveryItem
              key={delivery.id}
              delivery={delivery}
              isBusy={isBusy}
              onRepeat={() => void repeat(delivery)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The routes of the page "Webhooks": what was sent last, and again. The values of headers, which are secrets, are not among the answers. */
import { isDeliveryOf } from "../../engine/webhooks/kept-deliveries.ts";
import { allowedEvents, type Webhook } from "../../engine/webhooks/webhook.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { requiredBody } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";
import { findWebhook, listWebhooks, writeWebhook } from "./webhooks.ts";

const PATH = `${API_PATH}/webhooks`;
const DELIVERIES = `${API_PATH}/webhook-deliveries`;

/** With the stored values of headers that are null. */
function withStoredHeaders(input: Body, stored: Webhook["headers"]): Body {
  if (!isRecord(input.headers)) return input;
  const storedValue = (name: string): unknown => (Object.hasOwn(stored, name) ? stored[name] : "");
  const headers = Object.entries(input.headers).map(([name, value]) => [name, value ?? storedValue(name)]);
  return { ...input, headers: Object.fromEntries(headers) };
}

export function webhookPageRoutes(services: AdminServices): AdminRoute[] {
  const { context, webhooks } = services;
  const shown = ({ headers, ...webhook }: Webhook) => ({
    ...webhook,
    headers: Object.keys(headers),
    problem: webhooks().reasonAgainst({ ...webhook, headers }) ?? null,
  });
  const findDelivery = ({ params }: AdminCall) => {
    const delivery = webhooks().deliveries.find(Number(params.id));
    const webhook = listWebhooks(services).find((candidate) => delivery && isDeliveryOf(delivery, candidate));
    if (!delivery || !webhook) throw notFound("There is no such delivery: only the last ones are kept");
    return { delivery, webhook };
  };
  return [
    route("GET", PATH, () => {
      const deliveries = webhooks().deliveries.list();
      const data = listWebhooks(services).map((webhook) => ({
        ...shown(webhook),
        deliveries: deliveries.filter((delivery) => isDeliveryOf(delivery, webhook)),
      }));
      return ok({ data, events: [...allowedEvents(context.storage).values()] });
    }),
    route("PUT", `${PATH}/:id`, async (call) => {
      const input = withStoredHeaders(await requiredBody(call), findWebhook(services, call.params.id).headers);
      return ok({ data: shown(await writeWebhook(services, call, input)) });
    }),
    route("GET", `${DELIVERIES}/:id`, (call) => ok({ data: findDelivery(call).delivery })),
    route("POST", `${DELIVERIES}/:id/repeat`, async (call) => {
      const {
        delivery: { event, body },
        webhook,
      } = findDelivery(call);
      if (body === null) throw applicationError("Its body was too long to be kept, so that it cannot be sent again");
      const reason = webhooks().reasonAgainst(webhook);
      if (reason !== undefined) throw applicationError(`${webhook.name} is not called: ${reason}`);
      return ok({ data: await webhooks().repeat(webhook, event, body) });
    }),
  ];
}

/** `/admin/webhooks`: the stored webhooks, and a test request to one. */

import { isNamed, isUrl, type WebhookReach } from "../../engine/webhooks/request.ts";
import {
  changeWebhook,
  checkEvents,
  deleteWebhooks,
  insertWebhook,
  storedWebhooks,
  type Webhook,
  type WebhookValues,
} from "../../engine/webhooks/webhook.ts";
import { isHeldBack, readReach, testWebhook } from "../../engine/webhooks/webhooks.ts";
import { ApiError, notFound, type Problem, problemsError } from "../../lib/errors.ts";
import { isPublic, UNREACHABLE } from "../../lib/public-address.ts";
import { checkShape, type Shape } from "../../lib/shape.ts";
import { objectBody } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const PATH = "/admin/webhooks";

const text: Shape = { type: "string", strict: true, required: true };
const url: Shape = {
  ...text,
  tests: [(value: string, path) => (isUrl(value) ? undefined : `${path} must be a valid URL`)],
};

const fields = (input: Body, isNew: boolean): Shape => ({
  type: "object",
  strict: true,
  exact: true,
  fields: {
    name: text,
    url,
    headers: { type: "object", strict: true, required: true },
    events: { type: "array", strict: true, required: true, item: () => ({ ...text, required: true }) },
    ...(isNew ? {} : { isEnabled: { type: "boolean", strict: true } }),
    ...("id" in input && !isNew ? { id: { type: "mixed" } } : {}),
  },
});

/** Throws a ValidationError with all problems. `reach`: in production, where other hosts are refused. */
function check(input: Body, isNew: boolean, reach: WebhookReach | undefined): void {
  const problems: Problem[] = [];
  checkShape(fields(input, isNew), input, "", problems);
  const isAllowed = (url: string): boolean => isPublic(url) || (reach !== undefined && isNamed(url, reach));
  const isRefused = typeof input.url === "string" ? !isAllowed(input.url) : input.url === undefined;
  if (reach && isRefused) {
    const position = problems.findLastIndex(({ path }) => path === "url" || path === "name");
    problems.splice(position + 1, 0, { path: "url", message: UNREACHABLE, value: input.url });
  }
  if (problems.length > 0) throw problemsError(problems);
}

const pickValues = ({ name, url: address, headers, events, isEnabled }: Body): WebhookValues =>
  ({ name, url: address, headers, events, isEnabled }) as WebhookValues;

export function webhookRoutes({ context: { storage, clock }, settings }: AdminServices): AdminRoute[] {
  const reach = readReach(settings);
  const refusing = settings.environment.NODE_ENV === "production" ? reach : undefined;
  const shown = ({ isUnconfirmed, ...webhook }: Webhook): Webhook =>
    isHeldBack({ ...webhook, isUnconfirmed }, reach) ? { ...webhook, isUnconfirmed } : webhook;
  const findOrThrow = ({ params }: AdminCall): Webhook => {
    const found = storedWebhooks(storage).find(({ id }) => id === params.id);
    if (!found) throw notFound("webhook.notFound");
    return shown(found);
  };
  return [
    route("GET", PATH, () => ok({ data: storedWebhooks(storage).map(shown) })),
    route("POST", PATH, async (call) => {
      const input = await objectBody(call);
      check(input, true, refusing);
      checkEvents(storage, input.events as unknown[]);
      const created = await storage.write(() => insertWebhook(storage, pickValues(input)));
      return { status: 201, body: { data: created } };
    }),
    route("POST", `${PATH}/batch-delete`, async ({ body }) => {
      const { ids } = await body();
      if (!Array.isArray(ids) || ids.length === 0)
        throw new ApiError("MissingInputError", "ids must be an array of id");
      await storage.write(() => deleteWebhooks(storage, new Set(ids.map(String))));
      return ok({ data: ids });
    }),
    route("GET", `${PATH}/:id`, (call) => ok({ data: findOrThrow(call) })),
    route("PUT", `${PATH}/:id`, async (call) => {
      if ((await call.rawBody()) === undefined) findOrThrow(call);
      const input = await objectBody(call);
      check(input, false, refusing);
      const { id } = findOrThrow(call);
      checkEvents(storage, input.events as unknown[]);
      return ok({
        data: (await storage.write(() => changeWebhook(storage, id, pickValues(input)))) ?? findOrThrow(call),
      });
    }),
    route("DELETE", `${PATH}/:id`, async (call) => {
      const found = findOrThrow(call);
      await storage.write(() => deleteWebhooks(storage, new Set([found.id])));
      return ok({ data: found });
    }),
    route("POST", `${PATH}/:id/trigger`, async (call) =>
      ok({ data: await testWebhook(findOrThrow(call), settings, clock) }),
    ),
  ];
}

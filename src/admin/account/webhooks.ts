/** `/admin/webhooks`: the stored webhooks, and a test request to one. */

import {
  isHeldBack,
  isNamed,
  isUrl,
  readReach,
  testWebhook,
  type WebhookReach,
} from "../../engine/webhooks/request.ts";
import {
  changeWebhook,
  checkEvents,
  deleteWebhooks,
  insertWebhook,
  storedWebhooks,
  type Webhook,
  type WebhookValues,
} from "../../engine/webhooks/webhook.ts";
import { ApiError, notFound, type Problem, problemsError } from "../../lib/errors.ts";
import { isPublic, UNREACHABLE } from "../../lib/public-address.ts";
import { checkShape, type Shape } from "../../lib/shape.ts";
import { exactly, flag, listOf, objectBody, objectOf, requiredText } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const PATH = "/admin/webhooks";

const url: Shape = {
  ...requiredText,
  tests: [(value: string, path) => (isUrl(value) ? undefined : `${path} must be a valid URL`)],
};

const fields = (input: Body, isNew: boolean): Shape =>
  exactly({
    name: requiredText,
    url,
    headers: objectOf({}, { required: true }),
    events: listOf(requiredText, { required: true }),
    ...(isNew ? {} : { isEnabled: flag }),
    ...("id" in input && !isNew ? { id: { type: "mixed" } } : {}),
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

/** In production, where other hosts are refused. */
const refusing = ({ settings }: AdminServices): WebhookReach | undefined =>
  settings.environment.NODE_ENV === "production" ? readReach(settings) : undefined;

/** All of them. They are marked as unconfirmed only where that matters. */
export function listWebhooks({ context: { storage }, settings }: AdminServices): Webhook[] {
  const reach = readReach(settings);
  return storedWebhooks(storage).map(({ isUnconfirmed, ...webhook }) =>
    isHeldBack({ ...webhook, isUnconfirmed }, reach) ? { ...webhook, isUnconfirmed } : webhook,
  );
}

/** Throws a NotFoundError for an unknown id. */
export function findWebhook(services: AdminServices, id: string | undefined): Webhook {
  const found = listWebhooks(services).find((webhook) => webhook.id === id);
  if (!found) throw notFound("webhook.notFound");
  return found;
}

/** Confirms it as well. Throws a ValidationError with all problems of the values, and a NotFoundError. */
export async function writeWebhook(services: AdminServices, call: AdminCall, input: Body): Promise<Webhook> {
  const { storage } = services.context;
  check(input, false, refusing(services));
  const { id } = findWebhook(services, call.params.id);
  checkEvents(storage, input.events as unknown[]);
  const changed = await storage.write(() => changeWebhook(storage, id, pickValues(input)));
  return changed ?? findWebhook(services, id);
}

export function webhookRoutes(services: AdminServices): AdminRoute[] {
  const {
    context: { storage, clock },
    settings,
    webhooks,
  } = services;
  const findOrThrow = ({ params }: AdminCall): Webhook => findWebhook(services, params.id);
  const remove = async (ids: readonly string[]): Promise<void> => {
    await storage.write(() => deleteWebhooks(storage, new Set(ids)));
    webhooks().deliveries.forget(ids);
  };
  return [
    route("GET", PATH, () => ok({ data: listWebhooks(services) })),
    route("POST", PATH, async (call) => {
      const input = await objectBody(call);
      check(input, true, refusing(services));
      checkEvents(storage, input.events as unknown[]);
      const created = await storage.write(() => insertWebhook(storage, pickValues(input)));
      return { status: 201, body: { data: created } };
    }),
    route("POST", `${PATH}/batch-delete`, async ({ body }) => {
      const { ids } = await body();
      if (!Array.isArray(ids) || ids.length === 0)
        throw new ApiError("MissingInputError", "ids must be an array of id");
      await remove(ids.map(String));
      return ok({ data: ids });
    }),
    route("GET", `${PATH}/:id`, (call) => ok({ data: findOrThrow(call) })),
    route("PUT", `${PATH}/:id`, async (call) => {
      if ((await call.rawBody()) === undefined) findOrThrow(call);
      return ok({ data: await writeWebhook(services, call, await objectBody(call)) });
    }),
    route("DELETE", `${PATH}/:id`, async (call) => {
      const found = findOrThrow(call);
      await remove([found.id]);
      return ok({ data: found });
    }),
    route("POST", `${PATH}/:id/trigger`, async (call) =>
      ok({ data: await testWebhook(findOrThrow(call), settings, clock) }),
    ),
  ];
}

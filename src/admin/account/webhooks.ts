/** `/admin/webhooks`: stored with the content, in the format of exports. Only `trigger` calls them. */
import { ApiError, notFound, type Problem, problemsError } from "../../errors.ts";
import { checkShape, type Shape } from "../../shape.ts";
import type { Storage } from "../../storage/storage.ts";
import { objectBody } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";

interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

/** The key in `galley_meta`; imports and exports use it, too. */
const KEY = "webhooks";
const PATH = "/admin/webhooks";
const MAX_WEBHOOKS = 1_000;
const TIMEOUT_MS = 10_000;

const list = (storage: Storage): Webhook[] => JSON.parse(storage.meta(KEY) ?? "[]") as Webhook[];

const shown = ({ id, name, url, headers, events, enabled }: Webhook) => ({
  id: String(id),
  name,
  url,
  headers,
  events,
  isEnabled: enabled,
});

const UNREACHABLE = "Url is not supported because it isn't reachable over the public internet";
const PRIVATE_IPV4 = /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./;

/** Whether a host name is public, judged by the name alone. */
function isPublic(url: string): boolean {
  const host = URL.parse(url)?.hostname.toLowerCase();
  if (!host || host.startsWith("[")) return false;
  if (/^\d+(?:\.\d+){3}$/.test(host)) return !PRIVATE_IPV4.test(host);
  return host.includes(".") && !/\.(?:local|localhost|internal|home\.arpa)$/.test(host);
}

/** Ports have at least two digits, as in the reference's rule. */
const isUrl = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && !url.hostname.startsWith("[") && url.port.length !== 1;
};

const text: Shape = { type: "string", strict: true, required: true };
const url: Shape = {
  ...text,
  tests: [(value: string, path) => (value === "" || isUrl(value) ? undefined : `${path} must be a valid URL`)],
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

/** Throws a ValidationError with all problems. */
function check(input: Body, isNew: boolean, isProduction: boolean): void {
  const problems: Problem[] = [];
  checkShape(fields(input, isNew), input, "", problems);
  const isRefused = typeof input.url === "string" ? !isPublic(input.url) : input.url === undefined;
  if (isProduction && isRefused) {
    const position = problems.findLastIndex(({ path }) => path === "url" || path === "name");
    problems.splice(position + 1, 0, { path: "url", message: UNREACHABLE, value: input.url });
  }
  if (problems.length > 0) throw problemsError(problems);
}

const changed = ({ name, url: address, headers, events, isEnabled }: Body): Partial<Webhook> =>
  ({
    name,
    url: address,
    headers,
    events,
    ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
  }) as Partial<Webhook>;

/**
 * The result of a call: its status, or its error. Private hosts are never called, although webhooks to them can be made outside
 * production; redirects are not followed, since they could lead to private hosts.
 */
async function trigger({
  url: address,
  headers,
}: Webhook): Promise<{ readonly statusCode: number; readonly message?: string }> {
  if (!isUrl(address) || !isPublic(address)) return { statusCode: 500, message: UNREACHABLE };
  const body = JSON.stringify({ event: "trigger-test", createdAt: new Date().toISOString() });
  const allHeaders = { ...headers, "Content-Type": "application/json", "X-Strapi-Event": "trigger-test" };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { method: "POST", headers: allHeaders, body, redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok
      ? { statusCode: response.status }
      : { statusCode: response.status, message: response.statusText };
  } catch (error) {
    return { statusCode: 500, message: error instanceof Error ? error.message : String(error) };
  }
}

export function webhookRoutes({ context: { storage }, settings }: AdminServices): AdminRoute[] {
  const isProduction = settings.environment.NODE_ENV === "production";
  const findOrThrow = ({ params }: AdminCall): Webhook => {
    const found = list(storage).find(({ id }) => String(id) === params.id);
    if (!found) throw notFound("webhook.notFound");
    return found;
  };
  const save = (change: (all: Webhook[]) => Webhook[]): Promise<void> =>
    storage.write(() => storage.setMeta(KEY, JSON.stringify(change(list(storage)))));
  return [
    { method: "GET", path: PATH, handle: () => ok({ data: list(storage).map(shown) }) },
    {
      method: "POST",
      path: PATH,
      handle: async (call) => {
        const input = await objectBody(call);
        check(input, true, isProduction);
        let created: Webhook | undefined;
        await save((all) => {
          if (all.length >= MAX_WEBHOOKS)
            throw new ApiError("ApplicationError", `There are ${MAX_WEBHOOKS} webhooks already`);
          const id = Math.max(0, ...all.map((webhook) => Number(webhook.id))) + 1;
          created = { enabled: true, ...changed(input), id } as Webhook;
          return [...all, created];
        });
        return { status: 201, body: { data: shown(created!) } };
      },
    },
    {
      method: "POST",
      path: `${PATH}/batch-delete`,
      handle: async ({ body }) => {
        const { ids } = await body();
        if (!Array.isArray(ids) || ids.length === 0)
          throw new ApiError("MissingInputError", "ids must be an array of id");
        const removedIds = new Set(ids.map(String));
        await save((all) => all.filter(({ id }) => !removedIds.has(String(id))));
        return ok({ data: ids });
      },
    },
    { method: "GET", path: `${PATH}/:id`, handle: (call) => ok({ data: shown(findOrThrow(call)) }) },
    {
      method: "PUT",
      path: `${PATH}/:id`,
      handle: async (call) => {
        if ((await call.rawBody()) === undefined) findOrThrow(call);
        const input = await objectBody(call);
        check(input, false, isProduction);
        const before = findOrThrow(call);
        const next = { ...before, ...changed(input) };
        await save((all) => all.map((webhook) => (webhook.id === before.id ? next : webhook)));
        return ok({ data: shown(next) });
      },
    },
    {
      method: "DELETE",
      path: `${PATH}/:id`,
      handle: async (call) => {
        const found = findOrThrow(call);
        await save((all) => all.filter(({ id }) => id !== found.id));
        return ok({ data: shown(found) });
      },
    },
    {
      method: "POST",
      path: `${PATH}/:id/trigger`,
      handle: async (call) => ok({ data: await trigger(findOrThrow(call)) }),
    },
  ];
}

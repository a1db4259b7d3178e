/** Runs the code's output sanitizers on responses of the server's own actions of plugins. */

import { FILE, LOCALE, USER } from "../../engine/schema/builtin/index.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Runtime } from "../runtime.ts";

type Sanitize = (data: unknown) => unknown;

interface Sanitized {
  /** The content-type of the documents in the body. */
  readonly uid: string;
  readonly change: (body: unknown, sanitize: Sanitize) => unknown;
}

const whole: Sanitized["change"] = (body, sanitize) => sanitize(body);
const userIn: Sanitized["change"] = async (body, sanitize) =>
  isRecord(body) && isRecord(body.user) ? { ...body, user: await sanitize(body.user) } : body;
const dataIn: Sanitized["change"] = async (body, sanitize) =>
  isRecord(body) ? { ...body, data: await sanitize(body.data) } : body;
const rows: readonly (readonly [owner: string, actions: string, uid: string, change: Sanitized["change"]])[] = [
  ["plugin::users-permissions.user", "find findOne me create update destroy", USER, whole],
  ["plugin::users-permissions.auth", "callback register changePassword resetPassword", USER, userIn],
  ["plugin::upload.content-api", "find findOne destroy upload", FILE, whole],
  ["plugin::upload.content-api", "findPage", FILE, dataIn],
  ["plugin::i18n.locales", "listLocales", LOCALE, whole],
];

const sanitizedActions: ReadonlyMap<string, Sanitized> = new Map(
  rows.flatMap(([owner, actions, uid, change]) =>
    actions.split(" ").map((action) => [`${owner}.${action}`, { uid, change }] as const),
  ),
);

/** Whether functions of the code change the response of an action. */
export const isSanitized = ({ sanitizers }: Runtime, action: string | undefined): boolean =>
  action !== undefined && sanitizers.changeOutput && sanitizedActions.has(action);

/** `response`: of the action. Rejects with errors of the code. */
export async function sanitizedResponse(
  runtime: Runtime,
  action: string | undefined,
  response: Response,
): Promise<Response> {
  if (action === undefined || !isSanitized(runtime, action)) return response;
  const { status } = response;
  if (!response.ok || !response.body || !(response.headers.get("content-type") ?? "").includes("json")) return response;
  const body: unknown = await response.json();
  if (typeof body !== "object" || body === null) return Response.json(body, response);
  const { uid, change } = sanitizedActions.get(action)!;
  const changed = await change(body, (data) => runtime.sanitizers.output(uid, data));
  const headers = new Headers(response.headers);
  // they belong to the unchanged body
  for (const name of ["etag", "content-length"]) headers.delete(name);
  if (changed === undefined || changed === null) {
    headers.delete("content-type");
    return new Response(null, { status: 204, headers });
  }
  return new Response(JSON.stringify(changed), { status, headers });
}

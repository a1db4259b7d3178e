/** The routes of the page "Changes". */
import { requiredBody } from "../../admin/body.ts";
import { type AdminRoute, ok, route } from "../../admin/call.ts";
import { API_PATH } from "../../admin/session/session.ts";
import { validationError } from "../../lib/errors.ts";
import type { ContentChanges } from "./content-changes.ts";

function textIn(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw validationError(`${name} must be a string`);
  return value;
}

export const contentChangeRoutes = (changes: ContentChanges): AdminRoute[] => [
  route("GET", `${API_PATH}/content-changes`, async () => ok({ data: await changes.all() })),
  route("GET", `${API_PATH}/content-changes/summary`, async () => ok({ data: await changes.summary() })),
  route("POST", `${API_PATH}/content-changes/discard`, async (call) => {
    const isServed = await changes.discard(textIn(await requiredBody(call), "path"));
    return ok({ data: { isServed } });
  }),
  route("POST", `${API_PATH}/content-changes/resolve`, async (call) => {
    const body = await requiredBody(call);
    await changes.resolve(textIn(body, "uid"), textIn(body, "documentId"));
    return ok({ data: {} });
  }),
];

/** Policies of Strapi's admin page, as the objects that they are there. */
import { isRecord } from "../../lib/is-record.ts";
import type { Policy } from "../routes/endpoint.ts";

export const createPolicy = (name: string, handler: Policy) => ({
  name,
  handler,
  validator: (_config: unknown): void => {},
});

/** Without administrators, nobody has their permissions: as in Strapi, that is an error. */
export const hasPermissions: Policy = (_, config) => {
  const actions = isRecord(config) ? config.actions : undefined;
  if (Array.isArray(actions) && actions.length === 0) return true;
  throw new Error("admin::hasPermissions: only administrators have these permissions");
};

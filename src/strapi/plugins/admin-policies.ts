/** Policies of Strapi's admin page, as the objects that they are there. */
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Policy } from "../routes/endpoint.ts";

export const createPolicy = (name: string, handler: Policy) => ({
  name,
  handler,
  validator: (_config: unknown): void => {},
});

interface AdministratorState {
  readonly state?: { readonly userAbility?: { readonly can: (...of: readonly unknown[]) => boolean } };
}

/** An action may be given by its name, with its subject, or as an object. */
const readAction = (action: unknown): readonly unknown[] =>
  isRecord(action) ? [action.action, action.subject] : [action].flat().slice(0, 2);

/** On routes that are not for administrators, nobody has their permissions: as in Strapi, that is an error. */
export const hasPermissions: Policy = (context, config) => {
  const { actions, hasAtLeastOne } = toRecord(config);
  if (!Array.isArray(actions)) throw new Error("hasPermissions: config.actions must be a list");
  const { userAbility } = (context as AdministratorState).state ?? {};
  const can = (action: unknown): boolean => {
    if (!userAbility)
      throw new Error("hasPermissions: only administrators have permissions, on routes of the type admin");
    return userAbility.can(...readAction(action));
  };
  return hasAtLeastOne === true ? actions.some(can) : actions.every(can);
};

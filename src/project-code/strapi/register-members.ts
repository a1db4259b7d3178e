/** Fills the registries. */
import { isRecord } from "../../query/key-check.ts";
import type { Model } from "../../schema/model.ts";
import type { Policy } from "../http/endpoint.ts";
import type { LoadedCode } from "../loader/load.ts";
import { factories } from "../packages/strapi.ts";
import { withAbsentMembers } from "../plugins/absent-members.ts";
import { adminServices } from "../plugins/admin.ts";
import type { Runtime } from "../runtime.ts";
import { addOwner, type Registries } from "./registry.ts";

/** Adds controllers, services, policies and middlewares of the project, and core ones for types without them. */
export function registerMembers(registries: Registries, code: LoadedCode, model: Model, runtime: Runtime): void {
  for (const [api, owner] of code.apis) addOwner(registries, `api::${api}.`, owner);
  addOwner(registries, "global::", code.project);
  for (const { uid, plugin } of model.types.values()) {
    // a type with neither is still served; as in the reference, a controller without a service fails
    if (plugin !== undefined || registries.controllers.has(uid)) continue;
    registries.controllers.add(uid, factories.createCoreController(uid));
    if (!registries.services.has(uid)) registries.services.add(uid, factories.createCoreService(uid));
  }

  // as in the reference, any caller that was authenticated passes, also the public role
  const isAuthenticatedAdmin: Policy = (context) =>
    Boolean((context as { readonly state?: { readonly isAuthenticated?: unknown } }).state?.isAuthenticated);
  registries.policies.add("admin::isAuthenticatedAdmin", isAuthenticatedAdmin);
  // without administrators, nobody has their permissions: as in the reference, that is an error
  const hasPermissions: Policy = (_, config) => {
    const actions = isRecord(config) ? config.actions : undefined;
    if (Array.isArray(actions) && actions.length === 0) return true;
    throw new Error("admin::hasPermissions: only administrators have these permissions");
  };
  for (const uid of ["admin::hasPermissions", "plugin::content-manager.hasPermissions"])
    registries.policies.add(uid, hasPermissions);
  registries.policies.add("admin::isTelemetryEnabled", () => false);
  for (const [name, service] of Object.entries(withAbsentMembers("admin", adminServices(runtime))))
    registries.services.add(`admin::${name}`, service);
  registries.middlewares.add("plugin::users-permissions.rateLimit", () => undefined);
}

/** Fills the registries. */
import type { Model } from "../../engine/schema/model.ts";
import type { AdministratorActions } from "../administration/actions.ts";
import type { LoadedCode } from "../loader/load.ts";
import { addOwner, type Registries } from "../loader/registry.ts";
import { factories } from "../packages/strapi.ts";
import { withAbsentMembers } from "../plugins/absent-members.ts";
import { adminServices } from "../plugins/admin.ts";
import { createPolicy, hasPermissions } from "../plugins/admin-policies.ts";
import type { Policy } from "../routes/endpoint.ts";
import { adminRateLimit } from "../routes/rate-limit.ts";
import type { Runtime } from "../runtime.ts";

/** Adds controllers, services, policies and middlewares of the project, and core ones for types without them. */
export function registerMembers(
  registries: Registries,
  code: LoadedCode,
  model: Model,
  runtime: Runtime,
  actions: AdministratorActions,
): void {
  for (const [api, owner] of code.apis) addOwner(registries, `api::${api}.`, owner);
  addOwner(registries, "global::", code.project);
  for (const { uid, plugin } of model.types.values()) {
    // a type with neither is still served; as in Strapi, a controller without a service fails
    if (plugin !== undefined || registries.controllers.has(uid)) continue;
    registries.controllers.add(uid, factories.createCoreController(uid));
    if (!registries.services.has(uid)) registries.services.add(uid, factories.createCoreService(uid));
  }

  // as in Strapi, any caller that was authenticated passes, also the public role
  const isAuthenticatedAdmin: Policy = (context) =>
    Boolean((context as { readonly state?: { readonly isAuthenticated?: unknown } }).state?.isAuthenticated);
  registries.policies.add("admin::isAuthenticatedAdmin", isAuthenticatedAdmin);
  registries.policies.add("admin::hasPermissions", createPolicy("admin::hasPermissions", hasPermissions));
  registries.policies.add(
    "admin::isTelemetryEnabled",
    createPolicy("admin::isTelemetryEnabled", () => false),
  );
  registries.middlewares.add(
    "admin::rateLimit",
    adminRateLimit(() => runtime),
  );
  for (const [name, service] of Object.entries(withAbsentMembers("admin", adminServices(runtime, actions))))
    registries.services.add(`admin::${name}`, service);
}

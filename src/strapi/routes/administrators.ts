/** Who may use the routes of administrators: the strategies by which they are found, and what they may do. */
import { abilityOf } from "../administration/ability.ts";
import type { Context } from "../koa/koa.ts";
import type { AdministratorCaller, Runtime } from "../runtime.ts";
import { tokenCredentials } from "./authentication.ts";
import type { Strategy } from "./strategies.ts";

function credentialsOf({ user, token }: AdministratorCaller): object {
  if (!token) return user;
  const { type: _, permissions: __, ...row } = tokenCredentials(token) as Record<string, unknown>;
  return { ...row, kind: "admin", adminUserOwner: user, adminPermissions: [] };
}

/** Strapi's two strategies for routes of the type `admin`: tokens, and sessions. */
export const administratorStrategies = (runtime: Runtime): readonly Strategy[] =>
  (["admin-token", "admin"] as const).map((name) => ({
    name,
    authenticate: (ctx: Context) => {
      const caller = runtime.tools.findAdministrator(ctx.req.original);
      if (!caller || (caller.token !== undefined) !== (name === "admin-token")) return { authenticated: false };
      const { user, session } = caller;
      const ability = abilityOf(caller.permissionsOf);
      Object.assign(ctx.state, { user, userAbility: ability }, session && { session: { id: session } });
      return { authenticated: true, credentials: credentialsOf(caller), ability };
    },
  }));

/** Who may use the routes of administrators: the strategies by which they are found, and what they may do. */
import type { AdministratorActions } from "../administration/actions.ts";
import type { Context } from "../koa/koa.ts";
import type { AdministratorCaller, Runtime } from "../runtime.ts";
import { tokenCredentials } from "./authentication.ts";
import type { Strategy } from "./strategies.ts";

/** The permissions of the only role, in the form of CASL's abilities. */
const abilityOf = (actions: AdministratorActions) => ({
  can: (action: unknown) => actions.isGranted(String(action)),
  cannot: (action: unknown) => !actions.isGranted(String(action)),
});

function credentialsOf({ user, token }: AdministratorCaller): object {
  if (!token) return user;
  const { type: _, permissions: __, ...row } = tokenCredentials(token) as Record<string, unknown>;
  return { ...row, kind: "admin", adminUserOwner: user, adminPermissions: [] };
}

/** Strapi's two strategies for routes of the type `admin`: tokens, and sessions. */
export const administratorStrategies = (runtime: Runtime, actions: AdministratorActions): readonly Strategy[] =>
  (["admin-token", "admin"] as const).map((name) => ({
    name,
    authenticate: (ctx: Context) => {
      const caller = runtime.tools.findAdministrator(ctx.req.original);
      if (!caller || (caller.token !== undefined) !== (name === "admin-token")) return { authenticated: false };
      const { user, session } = caller;
      const ability = abilityOf(actions);
      Object.assign(ctx.state, { user, userAbility: ability }, session && { session: { id: session } });
      return { authenticated: true, credentials: credentialsOf(caller), ability };
    },
  }));

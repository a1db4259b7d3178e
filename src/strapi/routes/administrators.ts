/** Who may use the routes of administrators: the strategies by which they are found, and what they may do. */
import { isRecord } from "../../lib/is-record.ts";
import type { Context } from "../koa/koa.ts";
import type { AdministratorCaller, Runtime } from "../runtime.ts";
import { tokenCredentials } from "./authentication.ts";
import type { Strategy } from "./strategies.ts";

/** The type of a subject: its uid, or that of an entry which CASL's `subject(uid, entry)` has marked. */
const typeOfSubject = (subject: unknown): string | null | undefined =>
  isRecord(subject) ? String(subject.__caslSubjectType__) : (subject as string | null | undefined);

/** In the form of CASL's abilities. */
const abilityOf = ({ permissionsOf }: AdministratorCaller) => {
  const can = (action: string, subject?: unknown, field?: string) =>
    permissionsOf(action, typeOfSubject(subject), field).length > 0;
  const rulesFor = (of: string, subject?: unknown) =>
    permissionsOf(of, typeOfSubject(subject)).map(({ action, subject: uid, properties: { fields } }) => ({
      ...{ action, subject: uid ?? "all", inverted: false },
      ...(fields ? { fields } : {}),
    }));
  return { can, cannot: (...of: Parameters<typeof can>) => !can(...of), rulesFor };
};

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
      const ability = abilityOf(caller);
      Object.assign(ctx.state, { user, userAbility: ability }, session && { session: { id: session } });
      return { authenticated: true, credentials: credentialsOf(caller), ability };
    },
  }));

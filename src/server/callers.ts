/** Whom a test sends requests as: the public, a user of a role, an API token. */
import type { Project } from "./project.ts";

/** The name of a user that is made for a role without one. */
const nameOf = (role: string): string => `test ${role}`;

async function userOf({ access: { roles, users } }: Project, type: string, role: number): Promise<number> {
  const known = roles.firstUser(role);
  if (known !== undefined) return known;
  const user = { username: nameOf(type), email: `${type}@test.invalid`, provider: "local", confirmed: true, role };
  return users.create(user, () => {});
}

function keyOf({ access, settings }: Project, token: string): string | undefined {
  const configured = settings.galley.tokens?.find(({ name }) => name === token);
  if (configured) return configured.key ?? settings.environment[configured.keyEnv ?? ""];
  const stored = access.tokens.list().find(({ name }) => name === token);
  if (stored) return access.tokens.keyOf(stored.id);
  return access.tokens.ability(token) || access.tokens.isAdmin(token) ? token : undefined;
}

/**
 * The `Authorization` header of a caller: "public", the type of a role such as "authenticated", the name of an API token
 * whose key is known, or the key of any. Undefined for the public. Throws an Error for any other.
 */
export async function authorizationOf(project: Project, caller: string): Promise<string | undefined> {
  if (caller === "public") return undefined;
  const { roles, users, auth } = project.access;
  const role = roles.idByType(caller);
  if (role !== undefined) {
    const user = users.byId(await userOf(project, caller, role));
    return `Bearer ${await auth.tokenOf(user!)}`;
  }
  const key = keyOf(project, caller);
  if (key !== undefined) return `Bearer ${key}`;
  const types = roles.list().map(({ type }) => `"${type}"`);
  throw new Error(`as("${caller}"): neither an API token nor a role; the roles are ${types.join(", ")}`);
}

/** Credentials for tests: the public, a user with a role, or an API token. */
import type { Project } from "./project/project.ts";

/** Name of the user that is created for a role that has none. */
const testUserName = (role: string): string => `test ${role}`;

async function findOrCreateUser({ access: { roles, users } }: Project, type: string, role: number): Promise<number> {
  const existing = roles.firstUser(role);
  if (existing !== undefined) return existing;
  const user = {
    username: testUserName(type),
    email: `${type}@test.invalid`,
    provider: "local",
    confirmed: true,
    role,
  };
  return (await users.create(user, () => {})).id;
}

function findTokenKey({ access, settings }: Project, token: string): string | undefined {
  const configured = settings.galley.tokens?.find(({ name }) => name === token);
  if (configured) return configured.key ?? settings.environment[configured.keyEnv ?? ""];
  const stored = access.tokens.list().find(({ name }) => name === token);
  if (stored) return access.tokens.readKey(stored.id);
  return access.tokens.ability(token) || access.tokens.isAdmin(token) ? token : undefined;
}

const keyTypes = ["full-access", "read-only"] as const;

/** The same each time, of what nobody else can know. */
function transientKey({ access: { tokens }, secrets }: Project, type: (typeof keyTypes)[number]): string {
  const key = new Bun.CryptoHasher("sha256", secrets.admin).update(`caller ${type}`).digest("hex");
  tokens.addTransient(key, type);
  return key;
}

/**
 * Returns the `Authorization` header of a caller: "public", the type of a role such as "authenticated", the name of an API
 * token whose key is known, a token's key, or "full-access" and "read-only", which are as tokens of these types. Undefined for the public.
 * Rejects with an Error for an unknown caller.
 */
export async function createAuthorization(project: Project, caller: string): Promise<string | undefined> {
  if (caller === "public") return undefined;
  const { roles, users, auth } = project.access;
  const role = roles.idByType(caller);
  if (role !== undefined) {
    const user = users.byId(await findOrCreateUser(project, caller, role));
    return `Bearer ${await auth.issueToken(user!)}`;
  }
  const key = findTokenKey(project, caller);
  if (key !== undefined) return `Bearer ${key}`;
  const type = keyTypes.find((name) => name === caller);
  if (type) return `Bearer ${transientKey(project, type)}`;
  const types = roles.list().map(({ type }) => `"${type}"`);
  throw new Error(`as("${caller}"): neither an API token nor a role; the roles are ${types.join(", ")}`);
}

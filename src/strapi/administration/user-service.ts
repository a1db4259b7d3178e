/** `strapi.service("admin::user")`: administrators that code creates. They cannot sign in. */
import { hashPassword } from "../../engine/documents/passwords.ts";
import type { Params } from "../../engine/query/parse.ts";
import { validationError } from "../../lib/errors.ts";
import { pickBy } from "../../lib/records.ts";
import type { Members } from "../loader/plugin.ts";
import type { Row, Rows } from "./rows.ts";
import { ADMINISTRATOR, ADMINISTRATOR_ROLE, SUPER_ADMIN } from "./types.ts";

const TOKEN_BYTES = 20;
const WITH_ROLES = { populate: ["roles"] };
const SECRETS: ReadonlySet<string> = new Set([
  "password",
  "resetPasswordToken",
  "resetPasswordTokenExpiresAt",
  "registrationToken",
]);

const withHash = async (attributes: Params): Promise<Params> =>
  typeof attributes.password === "string" && attributes.password !== ""
    ? { ...attributes, password: await hashPassword(attributes.password) }
    : attributes;

export const newToken = (): string => crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex();

function sanitizeUser({ roles, ...user }: Row): object {
  const shown = pickBy(user, (_, name) => !SECRETS.has(name));
  const list = Array.isArray(roles) ? (roles as Row[]) : undefined;
  return {
    ...shown,
    ...(list ? { roles: list.map(({ id, name, description, code }) => ({ id, name, description, code })) } : {}),
  };
}

export function createUserService(query: (uid: string) => Rows): Members {
  const users = query(ADMINISTRATOR);

  const findOne = (id: unknown, populate: unknown = ["roles"]) => users.findOne({ where: { id }, populate });
  /** Throws a ValidationError for the only administrator with the role. */
  const requireOtherSuperAdmin = async (id: unknown): Promise<void> => {
    const superAdmins = await users.findMany({ where: { roles: { code: SUPER_ADMIN } }, select: ["id"] });
    if (superAdmins.length === 1 && String(superAdmins[0]?.id) === String(id))
      throw validationError("You must have at least one user with super admin role.");
  };
  const deleteById = async (id: unknown): Promise<Row | null> => {
    const user = await findOne(id);
    if (!user) return null;
    await requireOtherSuperAdmin(id);
    await users.delete({ where: { id } });
    return user;
  };

  return {
    findOne,
    sanitizeUser,
    exists: async (where: Params = {}) => (await users.count({ where })) > 0,
    count: (where: Params = {}) => users.count({ where }),
    findOneByEmail: (email: unknown, populate?: unknown) =>
      users.findOne({ where: { email: { $eqi: email } }, populate }),
    findPage: ({ page = 1, pageSize = 100, filters: where, sort, _q }: Params = {}) => {
      const [name, direction = "asc"] = typeof sort === "string" ? sort.split(":") : [];
      return users.findPage({
        ...WITH_ROLES,
        page,
        pageSize,
        where,
        _q,
        orderBy: name ? { [name]: direction } : undefined,
      });
    },
    create: async (attributes: Params) => {
      const data = { registrationToken: newToken(), ...(await withHash(attributes)) };
      return users.create({ ...WITH_ROLES, data });
    },
    updateById: async (id: unknown, attributes: Params) => {
      const { roles } = attributes;
      const superAdmin = await query(ADMINISTRATOR_ROLE).findOne({ where: { code: SUPER_ADMIN }, select: ["id"] });
      const keepsRole = !Array.isArray(roles) || roles.some((role) => String(role) === String(superAdmin?.id));
      if (!keepsRole) await requireOtherSuperAdmin(id);
      return users.update({ ...WITH_ROLES, where: { id }, data: await withHash(attributes) });
    },
    deleteById,
    deleteByIds: async (ids: readonly unknown[] = []) => {
      const deleted: Row[] = [];
      for (const id of ids) {
        const user = await deleteById(id);
        if (user) deleted.push(user);
      }
      return deleted;
    },
  };
}

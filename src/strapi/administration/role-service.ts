/** `strapi.service("admin::role")`: the standard roles, and those that code creates. */

import type { Params } from "../../engine/query/parse.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import type { Row, Rows } from "./rows.ts";
import { ADMINISTRATOR, ADMINISTRATOR_ROLE, SUPER_ADMIN } from "./types.ts";

export function createRoleService(query: (uid: string) => Rows): Members {
  const roles = query(ADMINISTRATOR_ROLE);
  const users = query(ADMINISTRATOR);

  const findOne = (where: Params = {}, populate?: unknown) => roles.findOne({ where, populate });
  const find = (where: Params = {}, populate?: unknown) => roles.findMany({ where, populate });
  const getUsersCount = (id: unknown): Promise<number> => users.count({ where: { roles: { id } } });
  const refuseTaken = async (name: unknown, id?: unknown): Promise<void> => {
    const taken = name === undefined ? null : await findOne({ name });
    if (!taken || taken.id === id) return;
    throw new ApiError(
      "ApplicationError",
      `The name must be unique and a role with name \`${String(name)}\` already exists.`,
    );
  };
  /** Throws an ApplicationError for the role of super administrators, and for one that a user has. */
  const checkRolesIdForDeletion = async (ids: readonly unknown[] = []): Promise<void> => {
    const superAdmin = await findOne({ code: SUPER_ADMIN });
    if (ids.some((id) => String(id) === String(superAdmin?.id)))
      throw new ApiError("ApplicationError", "You cannot delete the super admin role");
    for (const id of ids) {
      if ((await getUsersCount(id)) > 0)
        throw new ApiError("ApplicationError", "Some roles are still assigned to some users");
    }
  };
  const createCode = (name: unknown): string =>
    `${String(name)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")}-${Date.now().toString(36)}`;

  return {
    constants: { superAdminCode: SUPER_ADMIN },
    findOne,
    find,
    getUsersCount,
    getSuperAdmin: () => findOne({ code: SUPER_ADMIN }),
    exists: async (where: Params = {}) => (await roles.count({ where })) > 0,
    count: (where: Params = {}) => roles.count({ where }),
    hasSuperAdminRole: (user: unknown) =>
      isRecord(user) &&
      Array.isArray(user.roles) &&
      user.roles.some((role) => isRecord(role) && role.code === SUPER_ADMIN),
    sanitizeRole: ({ permissions: _, users: __, ...role }: Row) => role,
    create: async (attributes: Params) => {
      await refuseTaken(attributes.name);
      return roles.create({ data: { ...attributes, code: attributes.code ?? createCode(attributes.name) } });
    },
    update: async (where: Params, attributes: Params) => {
      const { code: _, ...data } = attributes;
      const before = await findOne(where);
      await refuseTaken(data.name, before?.id);
      return roles.update({ where, data });
    },
    checkRolesIdForDeletion,
    deleteByIds: async (ids: readonly unknown[] = []) => {
      await checkRolesIdForDeletion(ids);
      const deleted: Row[] = [];
      for (const id of ids) {
        const role = await roles.delete({ where: { id } });
        if (role) deleted.push(role);
      }
      return deleted;
    },
  };
}

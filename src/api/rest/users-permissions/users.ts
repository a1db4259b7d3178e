/** The routes of users, roles and permissions. Results have no envelope. */
import type { AccessParts } from "../../../engine/access/index.ts";
import { parseRowId } from "../../../engine/access/users.ts";
import { EVERY_VERSION } from "../../../engine/documents/document-reads.ts";
import type { Caller } from "../../../engine/query/check-query.ts";
import type { Params } from "../../../engine/query/parse.ts";
import { ApiError } from "../../../lib/errors.ts";
import { type MaybePromise, whenReady } from "../../../lib/when-ready.ts";
import type { RestCall, RestResult, RestRoute } from "../call.ts";
import { okResult, route } from "./route.ts";

const userQuery = ({ query, ability, budget }: RestCall): { params: Params; caller: Caller } => {
  const params = query();
  const { status } = params;
  return {
    params: { ...params, status: status === undefined ? EVERY_VERSION : status === "draft" ? "draft" : "published" },
    caller: { canRead: ability.canRead, budget, omitsMembers: true },
  };
};

const toResult = (record: unknown, status = 200): RestResult => (record ? { status, body: record } : { status: 204 });

export function userRoutes(parts: AccessParts): RestRoute[] {
  // `parts.userAdmin` is loaded when it is first used
  const { users } = parts;
  const readUser = (call: RestCall, id: number): MaybePromise<RestResult> => {
    const { params, caller } = userQuery(call);
    return whenReady(users.read(id, params, caller), (record) => toResult(record));
  };

  return [
    route("GET", "/users/count", "user.count", async (call) => {
      const { params, caller } = userQuery(call);
      return { status: 200, body: await users.count(params, caller) };
    }),
    route("GET", "/users", "user.find", async (call) => {
      const { params, caller } = userQuery(call);
      return { status: 200, body: await users.readAll(params, caller) };
    }),
    route("GET", "/users/me", "user.me", (call) => {
      const { userId } = call.ability;
      if (userId === undefined) throw new ApiError("UnauthorizedError", "Unauthorized");
      return readUser(call, userId);
    }),
    route("GET", "/users/:id", "user.findOne", (call) => readUser(call, parseRowId(call.params.id))),
    route("POST", "/users", "user.create", async ({ ability, body }) => {
      const written = await parts.userAdmin.create(await body());
      return toResult(users.show(written, ability.canRead), 201);
    }),
    route("PUT", "/users/:id", "user.update", async ({ ability, body, params }) => {
      const written = await parts.userAdmin.update(parseRowId(params.id), await body());
      return toResult(users.show(written, ability.canRead));
    }),
    route("DELETE", "/users/:id", "user.destroy", async ({ ability, params }) =>
      toResult(await parts.userAdmin.remove(parseRowId(params.id), ability.canRead)),
    ),
  ];
}

// `parts.roleAdmin` is loaded when it is first used
export function roleRoutes(parts: AccessParts): RestRoute[] {
  return [
    route("GET", "/users-permissions/roles", "role.find", () =>
      whenReady(parts.roleAdmin.list(), (roles) => toResult({ roles })),
    ),
    route("GET", "/users-permissions/roles/:id", "role.findOne", ({ params }) =>
      whenReady(parts.roleAdmin.find(params.id), (role) => toResult({ role })),
    ),
    route("POST", "/users-permissions/roles", "role.createRole", async ({ body }) => {
      await parts.roleAdmin.create(await body());
      return okResult;
    }),
    route("PUT", "/users-permissions/roles/:id", "role.updateRole", async ({ body, params }) => {
      await parts.roleAdmin.update(params.id, await body());
      return okResult;
    }),
    route("DELETE", "/users-permissions/roles/:id", "role.deleteRole", ({ params }) =>
      whenReady(parts.roleAdmin.remove(params.id), () => okResult),
    ),
    route("GET", "/users-permissions/permissions", "permissions.getPermissions", () =>
      whenReady(parts.roleAdmin.permissions(), (permissions) => toResult({ permissions })),
    ),
  ];
}

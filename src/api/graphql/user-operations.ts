/** The operations behind the fields for sessions, users and roles, with the rate limits of the REST routes. */
import type { Ability } from "../../engine/access/access.ts";
import type { AccessParts } from "../../engine/access/index.ts";
import { parseRowId, type WrittenUser } from "../../engine/access/users.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { ApiError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { Caller } from "./caller.ts";

/** The user is without its role; there is no token if the account must be confirmed first. */
export interface Session {
  readonly jwt?: string;
  readonly user: Document;
}

/** `args` are those of the GraphQL field, or its `input`. Throws ApiErrors. */
export interface UserOperations {
  /** The user with the role. */
  me(userId: number): Promise<Document>;
  login(input: Params, caller: Caller): Promise<Session>;
  register(input: Params, caller: Caller): Promise<Session>;
  forgotPassword(args: Params, caller: Caller): Promise<void>;
  resetPassword(args: Params, caller: Caller): Promise<Session>;
  changePassword(args: Params, caller: Caller): Promise<Session>;
  emailConfirmation(args: Params, caller: Caller): Promise<Session>;
  /** The row, of which the field reads what it lacks. */
  createUser(args: Params, caller: Caller): Promise<unknown>;
  updateUser(args: Params, caller: Caller): Promise<unknown>;
  /** Undefined for an unknown user. */
  deleteUser(args: Params, caller: Caller): Promise<unknown>;
  createRole(args: Params, caller: Caller): Promise<unknown>;
  updateRole(args: Params, caller: Caller): Promise<unknown>;
  deleteRole(args: Params, caller: Caller): Promise<unknown>;
}

export function userOperations({ auth, users, userAdmin, roleAdmin, rateLimit }: AccessParts): UserOperations {
  /** `run`, limited together with the REST route of that name. */
  const limited =
    <T>(route: string, run: (args: Params, caller: Caller) => Promise<T> | T) =>
    async (args: Params, caller: Caller): Promise<T> => {
      const { error } = await rateLimit.count(route, caller.client);
      if (error) throw error;
      return run(args, caller);
    };
  const readRow = (written: WrittenUser, { canRead }: Ability): unknown =>
    "returned" in written ? users.show(written, canRead) : written;
  const logIn = limited("/auth/local", (input, { device }) => auth.login(input, device));
  return {
    me: async (userId) => users.record(userId, true) ?? {},
    login: async ({ provider, ...input }, caller) => {
      if ((provider || "local") !== "local") throw new ApiError("ApplicationError", "This provider is disabled");
      return logIn(input, caller);
    },
    register: limited("/auth/local/register", (input, { device }) => auth.register(input, device)),
    forgotPassword: limited("/auth/forgot-password", (args) => auth.forgotPassword(args)),
    resetPassword: limited("/auth/reset-password", (args, { device }) => auth.resetPassword(args, device)),
    changePassword: limited("/auth/change-password", (args, { ability, device }) =>
      auth.changePassword(ability.userId, args, device),
    ),
    emailConfirmation: (args, { device }) => auth.confirmAndLogIn(args, device),
    createUser: async ({ data }, { ability }) => readRow(await userAdmin.create({ ...toRecord(data) }), ability),
    updateUser: async ({ id, data }, { ability }) =>
      readRow(await userAdmin.update(parseRowId(id), { ...toRecord(data) }), ability),
    deleteUser: ({ id }, { ability }) => userAdmin.remove(parseRowId(id), ability.canRead),
    createRole: async ({ data }) => roleAdmin.create({ ...toRecord(data) }),
    // as in Strapi, the id is part of the data, so that they are never empty
    updateRole: async ({ id, data }) => roleAdmin.update(id, { ...toRecord(data), role: id }),
    deleteRole: async ({ id }) => roleAdmin.remove(id),
  };
}

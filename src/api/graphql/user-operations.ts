/** The operations behind the fields for sessions, users and roles, with the rate limits of the REST routes. */
import type { AccessParts } from "../../engine/access/index.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { ApiError } from "../../lib/errors.ts";
import type { Caller } from "./caller.ts";

/** The user is without its role; there is no token if the account must be confirmed first. */
export interface Session {
  readonly jwt?: string;
  readonly user: Document;
}

/** Arguments are those of the GraphQL schema; ids are row ids. Throws ApiErrors. */
export interface UserOperations {
  /** The user with the role. */
  me(userId: number): Promise<Document>;
  login(input: Params, caller: Caller): Promise<Session>;
  register(input: Params, caller: Caller): Promise<Session>;
  forgotPassword(args: Params, caller: Caller): Promise<void>;
  resetPassword(args: Params, caller: Caller): Promise<Session>;
  changePassword(args: Params, caller: Caller): Promise<Session>;
  emailConfirmation(args: Params, caller: Caller): Promise<Session>;
  /** Returns the new user's id. */
  createUser(data: Params): Promise<number>;
  updateUser(id: number, data: Params): Promise<void>;
  /** Only called for users that exist. */
  deleteUser(id: number): Promise<void>;
  createRole(data: Params): Promise<void>;
  updateRole(id: number, data: Params): Promise<void>;
  deleteRole(id: number): Promise<void>;
}

export function userOperations({ auth, users, userAdmin, roles, rateLimit }: AccessParts): UserOperations {
  /** `run`, limited together with the REST route of that name. */
  const limited =
    <T>(route: string, run: (args: Params, caller: Caller) => Promise<T> | T) =>
    async (args: Params, caller: Caller): Promise<T> => {
      const { error } = await rateLimit.count(route, caller.client);
      if (error) throw error;
      return run(args, caller);
    };
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
    createUser: async (data) => userAdmin.create(withPrototype(data)),
    updateUser: async (id, data) => void (await userAdmin.update(id, withPrototype(data))),
    deleteUser: async (id) => void (await userAdmin.remove(id)),
    createRole: async (data) => roles.create(withPrototype(data)),
    // as in Strapi, the id is part of the data, so that they are never empty
    updateRole: async (id, data) => roles.update(id, { ...data, role: id }),
    deleteRole: async (id) => roles.remove(id),
  };
}

/** A copy with a prototype, which inputs of graphql-js do not have. */
const withPrototype = (data: Params): Params => ({ ...data });

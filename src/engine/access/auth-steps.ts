/** Steps of requests of and about users. Those that are set replace the server's. */
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { Params } from "../query/parse.ts";

type Step<T extends readonly unknown[]> = ((...values: T) => MaybePromise<unknown>) | undefined;
type Values = Readonly<Record<string, unknown>>;

export interface AuthSteps {
  /** The token of a log-in, unless there are sessions. */
  readonly signToken?: Step<[claims: { readonly id: number }]>;
  readonly checkPassword?: Step<[password: string, hash: string]>;
  /** Creates a user with a password that is not hashed yet, and returns its row. */
  readonly addUser?: Step<[values: Values]>;
  readonly editUser?: Step<[id: number, values: Values]>;
  readonly removeUser?: Step<[where: { readonly id: number }]>;
  /** Rows for a client's parameters, which are checked; the results are sanitized. */
  readonly fetchUser?: Step<[id: number, params: Params]>;
  readonly fetchUsers?: Step<[params: Params]>;
  readonly countUsers?: Step<[params: Params]>;
  /** The row of a token's user, with its role; null refuses the token. */
  readonly findCaller?: Step<[id: number]>;
  readonly mailConfirmation?: Step<[user: Values]>;
  /** Rows of roles. Ids are as the client sent them. */
  readonly findRoles?: Step<[]>;
  readonly findRole?: Step<[id: unknown]>;
  readonly createRole?: Step<[values: Values]>;
  readonly updateRole?: Step<[id: unknown, values: Values]>;
  readonly deleteRole?: Step<[id: unknown, publicRole: number | undefined]>;
  /** The actions that roles can have. */
  readonly listActions?: Step<[]>;
  /** The user's row for a provider's tokens. */
  readonly connectProvider?: Step<[provider: string, tokens: Values, options: { readonly grantResponse: Values }]>;
}

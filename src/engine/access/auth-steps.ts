/** Steps of registrations and log-ins. Those that are set replace the server's. */
import type { MaybePromise } from "../../lib/when-ready.ts";

export interface AuthSteps {
  /** The token of a log-in, unless there are sessions. */
  readonly signToken?: ((claims: { readonly id: number }) => MaybePromise<unknown>) | undefined;
  /** Creates a user with a password that is not hashed yet, and returns its row. */
  readonly addUser?: ((values: Readonly<Record<string, unknown>>) => MaybePromise<unknown>) | undefined;
  readonly mailConfirmation?: ((user: Readonly<Record<string, unknown>>) => MaybePromise<unknown>) | undefined;
}

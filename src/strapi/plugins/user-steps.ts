/** Steps of registrations and log-ins that code does, since it has replaced members of the plugin's services. */
import type { AuthSteps } from "../../engine/access/auth-steps.ts";
import type { Limit } from "../lib/deadlines.ts";
import type { Members } from "../loader/plugin.ts";
import type { Registries } from "../loader/registry.ts";
import { ReplacedMembers } from "../loader/replaced-members.ts";

const PLUGIN = "users-permissions";

/** `services`: of the plugin, before code changes them. */
export class UserSteps {
  readonly #replaced: ReplacedMembers;
  readonly #registries: Registries;
  readonly #limit: Limit;

  constructor({ user, jwt }: Members, registries: Registries, limit: Limit, strapi: object) {
    const called = { user: ["add", "sendConfirmationEmail"], jwt: ["issue"] };
    this.#replaced = new ReplacedMembers(PLUGIN, called, { user, jwt }, registries, strapi);
    this.#registries = registries;
    this.#limit = limit;
  }

  /** Undefined: the server does the step. */
  #step(service: string, name: string): ((value: unknown) => Promise<unknown>) | undefined {
    if (!this.#replaced.has(`${service}.${name}`)) return undefined;
    const uid = `plugin::${PLUGIN}.${service}`;
    return (value) =>
      this.#limit(`${uid}.${name}`, () =>
        (this.#registries.services.get(uid) as Record<string, (value: unknown) => unknown>)[name]!(value),
      );
  }

  get current(): AuthSteps {
    return {
      signToken: this.#step("jwt", "issue"),
      addUser: this.#step("user", "add"),
      mailConfirmation: this.#step("user", "sendConfirmationEmail"),
    };
  }

  /** Replaced members that requests do not call. Throws what a service of the code throws. */
  get uncalled(): string[] {
    return this.#replaced.uncalled;
  }
}

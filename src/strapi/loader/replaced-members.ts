/** Members of a plugin's services that code has replaced, in an extension, in a start hook or later. */
import { isRecord } from "../../lib/is-record.ts";
import type { Members } from "./plugin.ts";
import type { Registries } from "./registry.ts";

type Factory = (dependencies: { readonly strapi: object }) => unknown;

/** By service, the members that requests call. */
export type CalledMembers = Readonly<Record<string, readonly string[]>>;

export class ReplacedMembers {
  readonly #plugin: string;
  readonly #called: CalledMembers;
  readonly #originals: ReadonlyMap<string, Members>;
  readonly #registries: Registries;

  /** `services`: of the plugin, before code changes them. */
  constructor(plugin: string, called: CalledMembers, services: Members, registries: Registries, strapi: object) {
    this.#plugin = plugin;
    this.#called = called;
    this.#registries = registries;
    this.#originals = new Map(
      Object.entries(services).map(([name, service]) => {
        const members = typeof service === "function" ? (service as Factory)({ strapi }) : service;
        return [name, isRecord(members) ? { ...members } : {}];
      }),
    );
  }

  /** `member`: `service.name`. */
  has(member: string): boolean {
    const [service = "", name = ""] = member.split(".");
    return this.#differs(service, name);
  }

  /** Whether any member of these services is replaced that requests call. */
  hasCalled(services: readonly string[] = Object.keys(this.#called)): boolean {
    return services.some((service) => this.#called[service]?.some((name) => this.#differs(service, name)));
  }

  /** The names of replaced members that no request calls. Throws what a service of the code throws. */
  get uncalled(): string[] {
    return [...this.#originals].flatMap(([service, members]) =>
      Object.keys(members)
        .filter((name) => !this.#called[service]?.includes(name) && this.#differs(service, name))
        .map((name) => `${service}.${name}`),
    );
  }

  #differs(service: string, name: string): boolean {
    const current = this.#registries.services.get(`plugin::${this.#plugin}.${service}`);
    return (isRecord(current) ? current[name] : undefined) !== this.#originals.get(service)?.[name];
  }
}

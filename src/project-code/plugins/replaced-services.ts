/**
 * Services of the upload plugin that the project's code replaces, in an extension or in a start hook. The server's routes work
 * with the media library itself and do not call them, so that the replaced members are reported.
 */
import { isRecord } from "../../query/key-check.ts";
import type { Registries } from "../strapi/registry.ts";
import type { Members } from "./plugin.ts";

type Factory = (dependencies: { readonly strapi: object }) => unknown;

/** The members of each service as they are now; code may change the services themselves later. */
export function membersOf(services: Members, strapi: object): ReadonlyMap<string, Members> {
  return new Map(
    Object.entries(services).map(([name, service]) => {
      const members = typeof service === "function" ? (service as Factory)({ strapi }) : service;
      return [name, isRecord(members) ? { ...members } : {}];
    }),
  );
}

/** The names of members that differ from those of `before`, such as `upload.remove`. Throws what a service of the code throws. */
export function replacedMembers(before: ReadonlyMap<string, Members>, { services }: Registries): string[] {
  return [...before].flatMap(([name, members]) => {
    const service = services.get(`plugin::upload.${name}`);
    const current: Members = isRecord(service) ? service : {};
    return Object.keys(members)
      .filter((member) => current[member] !== members[member])
      .map((member) => `${name}.${member}`);
  });
}

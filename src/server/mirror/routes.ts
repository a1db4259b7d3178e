/** Decides what answers a request to a mirror. */
import type { Settings } from "../../engine/config/settings.ts";
import { apiTypes, type Model, routeName } from "../../engine/schema/model.ts";
import type { MirrorState } from "./mirrored-project.ts";

/**
 * `here`: the server itself, such as its health. `copy`: the copy. `copyFirst`: the copy, or the origin for what the copy does not find.
 * `origin`: the origin, or its kept response. `refused`: a write.
 */
export type Destination = "here" | "copy" | "copyFirst" | "origin" | "refused";

/** Parameters of the core routes. Plugins of the origin may have others. */
const CORE_PARAMETERS: ReadonlySet<string> = new Set([
  ...["fields", "populate", "filters", "sort", "pagination", "status", "locale", "_q"],
  ...["publicationFilter", "hasPublishedVersion"],
]);
const UPLOADS = "/uploads/";
const FILES = /^\/upload\/files(?:\/(?:page|\d+))?$/;
const LOCALES = "/i18n/locales";

const hasCoreParameters = (search: string): boolean =>
  [...new URLSearchParams(search).keys()].every((name) => CORE_PARAMETERS.has(name.split("[", 1)[0]!));

export interface RouteOptions {
  readonly state: MirrorState;
  readonly model: Model;
  readonly settings: Pick<Settings, "rest" | "graphql">;
  /** Whether writes are kept in a copy of their own. */
  readonly writes: boolean;
}

export type Routes = ReturnType<typeof createRoutes>;

export function createRoutes({ state, model, settings, writes }: RouteOptions) {
  const { prefix } = settings.rest;
  const types = apiTypes(model);
  const served = new Map(types.filter(({ uid }) => state.served.includes(uid)).map((type) => [routeName(type), type]));
  const copiesGraphql = state.hasGraphql && types.every(({ uid }) => state.served.includes(uid));
  const isListed = (action: string): boolean => state.actions.includes(action);

  /** Requests of content-types, files and locales that the copy answers. */
  function findCopied(path: string): Destination | undefined {
    if (FILES.test(path)) return isListed("plugin::upload.content-api.find") ? "copy" : undefined;
    if (path === LOCALES) return isListed("plugin::i18n.locales.listLocales") ? "copy" : undefined;
    const [, name = "", id, ...rest] = path.split("/");
    const type = served.get(name);
    if (!type || rest.length > 0 || (id !== undefined && type.kind === "singleType")) return undefined;
    // a route of own code may look like a document id
    return id === undefined ? "copy" : "copyFirst";
  }

  function findWritten(path: string): Destination {
    if (!writes) return "refused";
    if (path === "/upload" || FILES.test(path)) return "copy";
    return findCopied(path) ? "copy" : "refused";
  }

  return {
    find(method: string, path: string, search: string): Destination {
      const isRead = method === "GET" || method === "HEAD";
      if (method === "OPTIONS") return "here";
      if (path === settings.graphql.endpoint) return copiesGraphql ? "copy" : "origin";
      if (path.startsWith(UPLOADS) && isRead) return writes ? "copyFirst" : "origin";
      if (!path.startsWith(`${prefix}/`)) return "here";
      const below = path.slice(prefix.length);
      if (!isRead) return findWritten(below);
      return (hasCoreParameters(search) ? findCopied(below) : undefined) ?? "origin";
    },
  };
}

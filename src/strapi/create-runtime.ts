/** Creates the state and services that the parts of this layer share. */

import { once } from "../lib/once.ts";
import { Sanitizers } from "./data/sanitizers.ts";
import type { DataLayers } from "./data-layers.ts";
import type { CodeBundle } from "./loader/load.ts";
import type { Registries } from "./loader/registry.ts";
import type { DeclaredRoute } from "./loader/routes.ts";
import { isCore, type Serving } from "./routes/serving.ts";
import type { CodeProject, CodeTools, Runtime } from "./runtime.ts";

/** The runtime of a start: requests, and routes that others declare, follow once the code has started. */
type StartingRuntime = Runtime & {
  strapi: object;
  actions: readonly string[];
  findClaims: Runtime["findClaims"];
};

/** What exists only once the code has started. */
export interface Started {
  serving?: Serving;
  tools?: CodeTools;
}

export function createRuntime(
  { bundle, project }: { readonly bundle: CodeBundle; readonly project: CodeProject },
  { raw, lifecycles, documents, query, schemas }: DataLayers,
  registries: Registries,
  ownRoutes: readonly DeclaredRoute[],
  started: Started,
): StartingRuntime {
  const { config, log, requestContext, strapi } = bundle.loading;
  const openAdministration = once(() => {
    const { createAdministrationDatabase } =
      require("./administration/database.ts") as typeof import("./administration/database.ts");
    return createAdministrationDatabase({ ...project, raw, log });
  });
  return {
    ...project,
    get tools(): CodeTools {
      if (!started.tools) throw new Error("The server does not answer requests yet");
      return started.tools;
    },
    raw,
    lifecycles,
    documents,
    query,
    administration: openAdministration,
    sanitizers: new Sanitizers((uid) => schemas.of(uid)),
    requestContext,
    usesRequestContext: bundle.usesRequestContext,
    findClaims: () => undefined,
    service: (uid) => registries.services.get(uid),
    findSchema: (uid) => schemas.of(uid),
    hasCoreService: (uid, action) => {
      if (!registries.services.has(uid)) return false;
      return isCore(registries.services.exported(uid), () => registries.services.get(uid), action);
    },
    config,
    strapi,
    routes: () => started.serving?.declared ?? ownRoutes,
    log,
  };
}

/** The global `strapi`, once the project is open. */

import { once } from "../lib/once.ts";
import { findDocuments } from "./administration/documents.ts";
import type { StartingRuntime } from "./create-runtime.ts";
import { placeIn } from "./data/document-params.ts";
import type { DocumentActions } from "./data/documents.ts";
import { createEntityService } from "./data/entity-service.ts";
import type { QueryEngine } from "./data/query-engine.ts";
import type { DataLayers } from "./data-layers.ts";
import { createDatabase } from "./instance/database.ts";
import { createStore } from "./instance/store.ts";
import { createStrapi } from "./instance/strapi.ts";
import { createWebhookStore } from "./instance/webhook-store.ts";
import type { CodeBundle } from "./loader/load.ts";
import type { Registries } from "./loader/registry.ts";
import type { CodeProject } from "./runtime.ts";

/** Adds all members to the object that the code's files have found as `strapi` so far, and makes it global. */
export function completeStrapi(
  { bundle, project }: { readonly bundle: CodeBundle; readonly project: CodeProject },
  runtime: StartingRuntime,
  { schemas, entityValidator }: DataLayers,
  registries: Registries,
  members: Pick<
    Parameters<typeof createStrapi>[0],
    "cron" | "plugins" | "webhookRunner" | "server" | "apis" | "extraParams" | "strategies"
  >,
): void {
  const { model } = project.context;
  const { config, strapi } = bundle.loading;
  const connection = once(() => {
    const { createConnection } = require("./knex/connection.ts") as typeof import("./knex/connection.ts");
    return createConnection(model, project.transactions);
  });
  const database = createDatabase(runtime, schemas, connection);
  bundle.loading.open(project);
  runtime.strapi = createStrapi({
    ...members,
    loading: strapi,
    runtime,
    registries,
    schemas,
    config,
    database,
    entityService: createEntityService({
      documents: { of: (uid) => findDocuments(runtime, uid) as DocumentActions },
      query: (uid) => database.query(uid) as QueryEngine,
      findType: (uid) => model.types.get(uid),
      findPlace: (uid, field) => placeIn(model, uid, field),
    }),
    entityValidator: entityValidator.validator,
    store: createStore(runtime),
    webhookStore: createWebhookStore(runtime, project.webhooks.list),
  });
  Object.assign(globalThis, { strapi: runtime.strapi });
}

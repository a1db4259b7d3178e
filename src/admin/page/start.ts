/** The initial data of the admin page, in one response. */
import { basename } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import type { Schema } from "../../engine/schema/model.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { configSource } from "../config-file.ts";
import { shownType } from "../content-manager/configuration/shown-type.ts";
import { shownMainField, storedViews, type View } from "../content-manager/configuration/stored-view.ts";
import { describeComponent, describeType } from "../content-manager/types.ts";
import type { ServedState } from "../events/change-feed.ts";
import { listLocales } from "../i18n/locales.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";

const ALL = { polymorphic: true };

interface Shown {
  readonly storage: Storage;
  readonly views: ReadonlyMap<string, View>;
}

function withView(description: object, schema: Schema | undefined, { storage, views }: Shown): object {
  if (!schema) return description;
  const view = views.get(schema.uid);
  return { ...description, mainField: shownMainField(storage, schema), ...(view ? { view } : {}) };
}

/** `served`: the versions that the page compares with those of events. */
export const startRoutes = (services: AdminServices, served: () => ServedState): AdminRoute[] => [
  route("GET", `${API_PATH}/start`, () => {
    const { root, context, schema, reload, settings, syncsContent, hasAgentSessions, preview } = services;
    const { types, components } = context.model;
    const shown = { storage: context.storage, views: storedViews({ context, schema }) };
    return ok({
      data: {
        version,
        served: served(),
        project: basename(root),
        canChangeFiles: reload !== undefined,
        settingsSource: configSource(services),
        syncsContent,
        hasPreviews: preview().handler !== undefined || settings.galley.admin?.sites !== undefined,
        hasAgentSessions: hasAgentSessions(),
        restPrefix: settings.rest.prefix,
        graphqlEndpoint: settings.graphql.endpoint,
        locales: listLocales(context).map(({ id, code, name, isDefault }) => ({
          id,
          code,
          name: name ?? code,
          isDefault,
        })),
        contentTypes: schema.types.map((type) =>
          withView(describeType(type, shownType(type, context.model, ALL)), types.get(type.uid), shown),
        ),
        components: schema.components.map((item) =>
          withView(describeComponent(item, shownType(item, context.model, ALL)), components.get(item.uid), shown),
        ),
      },
    });
  }),
];

/** `/content-manager/…/configuration`: stored configurations of forms and lists. */

import { withAdministration } from "../../../engine/schema/builtin/administration.ts";
import type { RawComponent, RawContentType } from "../../../engine/schema/definition.ts";
import type { Schema } from "../../../engine/schema/model.ts";
import { dropStored, setStored, storedValue } from "../../../engine/storage/core-store.ts";
import type { Storage } from "../../../engine/storage/storage.ts";
import { notFound } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { type AdminRoute, type JsonObject, ok, route } from "../../call.ts";
import type { AdminServices } from "../../services.ts";
import { adaptToType, type Configuration, defaultConfiguration, pickOptions } from "./configuration.ts";
import { checkConfiguration } from "./input.ts";
import { type ShownType, shownType } from "./shown-type.ts";

/** Strapi's keys, which a project's own code may read. */
export const buildKey = ({ uid, isComponent }: Pick<ShownType, "uid" | "isComponent">): string =>
  `plugin_content_manager_configuration_${isComponent ? "components" : "content_types"}::${uid}`;

/** As it was stored; undefined if it was not. */
export const storedConfiguration = (
  storage: Storage,
  type: Pick<ShownType, "uid" | "isComponent">,
): Configuration | undefined => storedValue(storage, buildKey(type)) as Configuration | undefined;

/** A type that is made again starts with the defaults. */
export const forgetConfigurations = (storage: Storage, removed: readonly Schema[]): Promise<void> =>
  storage.write(() => {
    for (const { uid, modelType } of removed)
      dropStored(storage, buildKey({ uid, isComponent: modelType === "component" }));
  });

const DOCUMENT_ID = { edit: {}, list: { label: "documentId", searchable: true, sortable: true } };

/** `mainField`s of relations are repeated for lists. */
function describeContentType({ uid }: ShownType, { settings, metadatas, layouts, options }: Configuration): JsonObject {
  // metadata of unknown names is stored, too
  const records = Object.entries(metadatas).filter(([, metadata]) => isRecord(metadata));
  const shown = records.map(([name, { edit, list }]) => [
    name,
    isRecord(edit) && "mainField" in edit ? { edit, list: { ...list, mainField: edit.mainField } } : { edit, list },
  ]);
  return { uid, settings, metadatas: Object.fromEntries(shown), layouts, ...pickOptions({ options }) };
}

export type Configurations = ReturnType<typeof createConfigurations>;

export function createConfigurations({ context, schema }: Pick<AdminServices, "schema" | "context">) {
  const types = withAdministration(schema.types);
  const shownTypes = new Map<string, ShownType | undefined>();
  /** Keys stored since the project was opened. As in Strapi, these configurations are returned as they were sent. */
  const changed = new Set<string>();

  /** Of all content-types. */
  function settings(): JsonObject[] {
    return types.map(({ uid }) => ({ uid, settings: of(findShown(uid)!).settings }));
  }

  /** Undefined for an unknown uid. */
  function findShown(uid: string | undefined): ShownType | undefined {
    if (uid === undefined) return undefined;
    return shownTypes.getOrInsertComputed(uid, () => {
      const raw = findRaw(uid);
      return raw && shownType(raw, context.model);
    });
  }

  function findRaw(uid: string): RawContentType | RawComponent | undefined {
    const found = types.find((type) => type.uid === uid);
    return found ?? schema.components.find((item) => item.uid === uid);
  }

  function of(type: ShownType): Configuration {
    const stored = storedConfiguration(context.storage, type);
    if (!stored) return defaultConfiguration(type, findShown);
    return changed.has(buildKey(type)) ? stored : adaptToType(stored, type, findShown);
  }

  /** Of all components and content-types, by key of the core store, as Strapi's rows have them. */
  function* all(): Generator<readonly [key: string, row: JsonObject]> {
    for (const { uid } of [...schema.components, ...types]) {
      const type = findShown(uid);
      if (!type) continue;
      const { settings, metadatas, layouts } = of(type);
      const row = { settings, metadatas: { ...metadatas, documentId: DOCUMENT_ID }, layouts, uid };
      yield [buildKey(type), type.isComponent ? { ...row, isComponent: true } : row];
    }
  }

  /** Parts missing from the change are kept. */
  async function change(type: ShownType, input: Partial<Configuration>): Promise<Configuration> {
    const before = of(type);
    const next = {
      settings: input.settings ?? before.settings,
      metadatas: input.metadatas ?? before.metadatas,
      layouts: input.layouts ?? before.layouts,
      ...pickOptions({ options: input.options ?? before.options }),
    };
    await context.storage.write(() => setStored(context.storage, buildKey(type), next));
    changed.add(buildKey(type));
    return next;
  }

  /** Configurations of all components nested in a type, by uid. */
  function components(type: ShownType): JsonObject {
    const found = new Map<string, JsonObject>();
    const visit = ({ attributes }: ShownType): void => {
      for (const { component, components } of Object.values(attributes)) {
        for (const uid of [component, ...(Array.isArray(components) ? components : [])]) {
          const inner = typeof uid === "string" && !found.has(uid) ? findShown(uid) : undefined;
          if (!inner) continue;
          found.set(inner.uid, describe(inner));
          visit(inner);
        }
      }
    };
    visit(type);
    return Object.fromEntries(found);
  }

  function describe(type: ShownType, configuration = of(type)): JsonObject {
    const raw = findRaw(type.uid) as RawComponent;
    return { uid: type.uid, category: raw.category, ...configuration, isComponent: true };
  }

  return { settings, type: findShown, of, all, change, components, component: describe };
}

export function configurationRoutes(configurations: Configurations): AdminRoute[] {
  const findType = (uid: string | undefined): ShownType => {
    const type = configurations.type(uid);
    if (!type || type.isComponent) throw notFound("contentType.notFound");
    return type;
  };
  const findComponent = (uid: string | undefined): ShownType => {
    const type = configurations.type(uid);
    if (!type?.isComponent) throw notFound("component.notFound");
    return type;
  };
  const changed = async (type: ShownType, input: unknown = {}): Promise<Configuration> => {
    checkConfiguration(type, configurations.type, input);
    return configurations.change(type, input as Partial<Configuration>);
  };
  return [
    route("GET", "/content-manager/content-types-settings", () => ok({ data: configurations.settings() })),
    route("GET", "/content-manager/content-types/:uid/configuration", ({ params }) => {
      const type = findType(params.uid);
      const configuration = configurations.of(type);
      const metadatas = { ...configuration.metadatas, documentId: DOCUMENT_ID };
      const contentType = describeContentType(type, { ...configuration, metadatas });
      return ok({ data: { contentType, components: configurations.components(type) } });
    }),
    route("PUT", "/content-manager/content-types/:uid/configuration", async ({ params, rawBody }) => {
      const type = findType(params.uid);
      const contentType = describeContentType(type, await changed(type, await rawBody()));
      return ok({ data: { contentType, components: configurations.components(type) } });
    }),
    route("GET", "/content-manager/components/:uid/configuration", ({ params }) => {
      const type = findComponent(params.uid);
      return ok({ data: { component: configurations.component(type), components: configurations.components(type) } });
    }),
    route("PUT", "/content-manager/components/:uid/configuration", async ({ params, rawBody }) => {
      const type = findComponent(params.uid);
      return ok({ data: configurations.component(type, await changed(type, await rawBody())) });
    }),
  ];
}

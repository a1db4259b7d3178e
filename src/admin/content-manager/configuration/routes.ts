/** `/content-manager/…/configuration`: stored configurations of forms and lists. */

import { notFound } from "../../../errors.ts";
import { isRecord } from "../../../query/key-check.ts";
import { CREATOR } from "../../../schema/builtin/creator.ts";
import type { RawComponent, RawContentType } from "../../../schema/definition.ts";
import { setStored, storedValue } from "../../../storage/core-store.ts";
import { type AdminRoute, ok } from "../../call.ts";
import type { AdminServices } from "../../services.ts";
import { type Configuration, defaultConfiguration, settle } from "./configuration.ts";
import { checkConfiguration } from "./input.ts";
import { type Json, type ShownType, shownCreator, shownType } from "./shown-type.ts";

type Raw = RawContentType | RawComponent;

/** The reference's own keys, where a project's code looks for them. */
const keyOf = ({ uid, isComponent }: ShownType): string =>
  `plugin_content_manager_configuration_${isComponent ? "components" : "content_types"}::${uid}`;

const DOCUMENT_ID = { edit: {}, list: { label: "documentId", searchable: true, sortable: true } };

export class Configurations {
  readonly #services: AdminServices;
  readonly #shown = new Map<string, ShownType | undefined>();
  /** Stored since the project was opened: these are answered as they were sent, as in the reference. */
  readonly #changed = new Set<string>();

  constructor(services: AdminServices) {
    this.#services = services;
  }

  /** Undefined for an unknown uid. */
  readonly type = (uid: string | undefined): ShownType | undefined => {
    if (uid === undefined) return undefined;
    return this.#shown.getOrInsertComputed(uid, () => {
      if (uid === CREATOR) return shownCreator();
      const raw = this.#raw(uid);
      return raw && shownType(raw);
    });
  };

  #raw(uid: string): Raw | undefined {
    const { types, components } = this.#services.schema;
    return types.find((type) => type.uid === uid) ?? components.find((item) => item.uid === uid);
  }

  of(type: ShownType): Configuration {
    const { storage } = this.#services.context;
    const stored = storedValue(storage, keyOf(type)) as Configuration | undefined;
    if (!stored) return defaultConfiguration(type, this.type);
    return this.#changed.has(keyOf(type)) ? stored : settle(stored, type, this.type);
  }

  /** Parts missing from the change are kept. */
  async change(type: ShownType, given: Partial<Configuration>): Promise<Configuration> {
    const { storage } = this.#services.context;
    const before = this.of(type);
    const next = {
      settings: given.settings ?? before.settings,
      metadatas: given.metadatas ?? before.metadatas,
      layouts: given.layouts ?? before.layouts,
    };
    await storage.write(() => setStored(storage, keyOf(type), next));
    this.#changed.add(keyOf(type));
    return next;
  }

  /** Those of the components in a type, and in these, by uid. */
  components(type: ShownType): Json {
    const found = new Map<string, Json>();
    const visit = ({ attributes }: ShownType): void => {
      for (const { component, components } of Object.values(attributes)) {
        for (const uid of [component, ...(Array.isArray(components) ? components : [])]) {
          const inner = typeof uid === "string" && !found.has(uid) ? this.type(uid) : undefined;
          if (!inner) continue;
          found.set(inner.uid, this.component(inner));
          visit(inner);
        }
      }
    };
    visit(type);
    return Object.fromEntries(found);
  }

  component(type: ShownType, configuration = this.of(type)): Json {
    const raw = this.#raw(type.uid) as RawComponent;
    return { uid: type.uid, category: raw.category, ...configuration, isComponent: true };
  }

  /** `mainField`s of relations are repeated for lists. */
  contentType({ uid }: ShownType, { settings, metadatas, layouts }: Configuration): Json {
    // whatever was sent for names that the type does not have is stored, too
    const records = Object.entries(metadatas).filter(([, metadata]) => isRecord(metadata));
    const shown = records.map(([name, { edit, list }]) => [
      name,
      isRecord(edit) && "mainField" in edit ? { edit, list: { ...list, mainField: edit.mainField } } : { edit, list },
    ]);
    return { uid, settings, metadatas: Object.fromEntries(shown), layouts };
  }
}

export function configurationRoutes(services: AdminServices, configurations: Configurations): AdminRoute[] {
  const typeOf = (uid: string | undefined): ShownType => {
    const type = configurations.type(uid);
    if (!type || type.isComponent) throw notFound("contentType.notFound");
    return type;
  };
  const componentOf = (uid: string | undefined): ShownType => {
    const type = configurations.type(uid);
    if (!type?.isComponent) throw notFound("component.notFound");
    return type;
  };
  const changed = async (type: ShownType, given: Json): Promise<Configuration> => {
    checkConfiguration(type, configurations.type, given);
    return configurations.change(type, given as Partial<Configuration>);
  };
  return [
    {
      method: "GET",
      path: "/content-manager/content-types-settings",
      handle: () =>
        ok({
          data: services.schema.types.map(({ uid }) => ({ uid, settings: configurations.of(typeOf(uid)).settings })),
        }),
    },
    {
      method: "GET",
      path: "/content-manager/content-types/:uid/configuration",
      handle: ({ params }) => {
        const type = typeOf(params.uid);
        const configuration = configurations.of(type);
        const metadatas = { ...configuration.metadatas, documentId: DOCUMENT_ID };
        const contentType = configurations.contentType(type, { ...configuration, metadatas });
        return ok({ data: { contentType, components: configurations.components(type) } });
      },
    },
    {
      method: "PUT",
      path: "/content-manager/content-types/:uid/configuration",
      handle: async ({ params, body }) => {
        const type = typeOf(params.uid);
        const contentType = configurations.contentType(type, await changed(type, await body()));
        return ok({ data: { contentType, components: configurations.components(type) } });
      },
    },
    {
      method: "GET",
      path: "/content-manager/components/:uid/configuration",
      handle: ({ params }) => {
        const type = componentOf(params.uid);
        return ok({ data: { component: configurations.component(type), components: configurations.components(type) } });
      },
    },
    {
      method: "PUT",
      path: "/content-manager/components/:uid/configuration",
      handle: async ({ params, body }) => {
        const type = componentOf(params.uid);
        return ok({ data: configurations.component(type, await changed(type, await body())) });
      },
    },
  ];
}

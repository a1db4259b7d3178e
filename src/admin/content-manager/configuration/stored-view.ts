/** What stored configurations change of the page's forms: labels, hints, widths, order, and the main field. */
import type { Schema } from "../../../engine/schema/model.ts";
import { storedKeys } from "../../../engine/storage/core-store.ts";
import type { Storage } from "../../../engine/storage/storage.ts";
import type { AdminServices } from "../../services.ts";
import { findMainField } from "../main-field.ts";
import { type Cell, type Configuration, defaultConfiguration } from "./configuration.ts";
import { buildKey, createConfigurations, storedConfiguration } from "./routes.ts";

export interface View {
  /** By attribute, where they differ from the attribute's name. */
  readonly labels: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  /** The shown fields in their order; absent: all of them, in the order of the schema file. */
  readonly cells?: readonly Cell[];
}

function readTexts({ metadatas }: Configuration, key: "label" | "description"): Record<string, string> {
  const texts = Object.entries(metadatas).map(([name, { edit }]) => [name, edit?.[key]]);
  return Object.fromEntries(texts.filter(([name, text]) => typeof text === "string" && text !== "" && text !== name));
}

/** The views of types and components whose configuration is stored and differs from the default, by uid. */
export function storedViews(services: Pick<AdminServices, "schema" | "context">): ReadonlyMap<string, View> {
  const keys = new Set(storedKeys(services.context.storage));
  const views = new Map<string, View>();
  const configurations = createConfigurations(services);
  for (const { uid } of [...services.schema.types, ...services.schema.components]) {
    const isComponent = !uid.includes("::");
    const type = keys.has(buildKey({ uid, isComponent })) ? configurations.type(uid) : undefined;
    if (!type) continue;
    const configuration = configurations.of(type);
    const { edit } = configuration.layouts;
    const isDefault =
      JSON.stringify(edit) === JSON.stringify(defaultConfiguration(type, configurations.type).layouts.edit);
    const view = {
      labels: readTexts(configuration, "label"),
      hints: readTexts(configuration, "description"),
      ...(isDefault ? {} : { cells: edit.flat() }),
    };
    if (!isDefault || Object.keys(view.labels).length + Object.keys(view.hints).length > 0) views.set(uid, view);
  }
  return views;
}

/** The attribute that names a document or an entry on the page: the configured one, if it can be shown. */
export function shownMainField(storage: Storage, schema: Schema): string {
  const key = { uid: schema.uid, isComponent: schema.modelType === "component" };
  const name = String(storedConfiguration(storage, key)?.settings?.mainField ?? "");
  const attribute = schema.attributes.get(name);
  const isShown = attribute?.kind === "scalar" && !attribute.type.isSecret && !attribute.type.isLong;
  return isShown ? name : findMainField(schema);
}

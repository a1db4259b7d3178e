/** `/content-manager/content-types` and `components`: schemas as the panel reads them. */
import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import type { RawComponent, RawContentType } from "../../engine/schema/definition.ts";
import { fieldSizes } from "../../engine/schema/field-sizes.ts";
import { type AdminRoute, type JsonObject, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { type ShownType, shownType } from "./configuration/shown-type.ts";

const KINDS = ["singleType", "collectionType"];

export function isDisplayed({ definition }: Pick<RawContentType, "definition">): boolean {
  const manager = definition.pluginOptions?.["content-manager"] as { visible?: boolean } | undefined;
  return manager?.visible !== false;
}

export const describeType = (type: RawContentType, { attributes }: ShownType): JsonObject => {
  const { uid, folder, definition } = type;
  const { kind = "collectionType", info, options, pluginOptions } = definition;
  return {
    uid,
    isDisplayed: isDisplayed(type),
    apiID: folder,
    kind,
    info,
    options: { draftAndPublish: false, ...options },
    pluginOptions,
    attributes,
  };
};

export const describeComponent = (component: RawComponent, { attributes }: ShownType): JsonObject => ({
  uid: component.uid,
  isDisplayed: true,
  apiID: component.uid.slice(component.uid.indexOf(".") + 1),
  category: component.category,
  info: component.definition.info,
  options: component.definition.options ?? {},
  pluginOptions: component.definition.pluginOptions,
  attributes,
});

export function typeRoutes({ schema, context: { model } }: AdminServices): AdminRoute[] {
  const { components } = schema;
  const types = withAdministration(schema.types);
  return [
    route("GET", "/content-manager/init", () =>
      ok({
        data: {
          fieldSizes,
          components: components.map((component) => describeComponent(component, shownType(component, model))),
          contentTypes: types.map((type) => describeType(type, shownType(type, model))),
        },
      }),
    ),
    route("GET", "/content-manager/content-types", ({ query }) => {
      const { kind } = query();
      if (kind !== undefined && !KINDS.includes(kind as string)) {
        const message = `Invalid option: expected one of ${KINDS.map((name) => `"${name}"`).join("|")}`;
        const errors = [{ path: [], message, name: "ValidationError" }];
        return { status: 400, body: { error: { name: "ValidationError", message, details: { errors } } } };
      }
      const ofKind = types.filter(({ definition }) => !kind || (definition.kind ?? "collectionType") === kind);
      return ok({ data: ofKind.map((type) => describeType(type, shownType(type, model))) });
    }),
    route("GET", "/content-manager/components", () =>
      ok({ data: components.map((component) => describeComponent(component, shownType(component, model))) }),
    ),
  ];
}

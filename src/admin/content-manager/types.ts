/** `/content-manager/content-types` and `components`: what the panel asks about types. */
import { CREATOR } from "../../schema/builtin/creator.ts";
import type { RawComponent, RawContentType } from "../../schema/definition.ts";
import { type AdminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { fieldSizes } from "./field-sizes.ts";

type Json = Readonly<Record<string, unknown>>;

const KINDS = ["singleType", "collectionType"];

const creatorAttribute = {
  type: "relation",
  relation: "oneToOne",
  target: CREATOR,
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
} as const;

const shown = (attribute: Json): Json =>
  attribute.type === "relation"
    ? { ...attribute, targetModel: attribute.target, relationType: attribute.relation }
    : attribute;

const attributesOf = (attributes: object, own: Json): Json =>
  Object.fromEntries(
    Object.entries({ id: { type: "integer" }, ...attributes, ...own, documentId: { type: "string" } }).map(
      ([name, attribute]) => [name, shown(attribute as Json)],
    ),
  );

function isDisplayed({ definition }: RawContentType): boolean {
  const manager = definition.pluginOptions?.["content-manager"] as { visible?: boolean } | undefined;
  return manager?.visible !== false;
}

export const describeType = (type: RawContentType): Json => {
  const { uid, folder, definition } = type;
  const { kind = "collectionType", info, options, pluginOptions, attributes } = definition;
  const system = {
    createdAt: { type: "datetime" },
    updatedAt: { type: "datetime" },
    createdBy: creatorAttribute,
    updatedBy: creatorAttribute,
  };
  return {
    uid,
    isDisplayed: isDisplayed(type),
    apiID: folder,
    kind,
    info,
    options: { draftAndPublish: false, ...options },
    pluginOptions,
    attributes: attributesOf(attributes, system),
  };
};

export const describeComponent = ({ uid, category, definition }: RawComponent): Json => ({
  uid,
  isDisplayed: true,
  apiID: uid.slice(uid.indexOf(".") + 1),
  category,
  info: definition.info,
  options: definition.options ?? {},
  attributes: attributesOf(definition.attributes, {}),
});

export function typeRoutes({ schema: { types, components } }: AdminServices): AdminRoute[] {
  return [
    {
      method: "GET",
      path: "/content-manager/init",
      handle: () =>
        ok({
          data: {
            fieldSizes,
            components: components.map(describeComponent),
            contentTypes: types.map(describeType),
          },
        }),
    },
    {
      method: "GET",
      path: "/content-manager/content-types",
      handle: ({ query }) => {
        const { kind } = query();
        if (kind !== undefined && !KINDS.includes(kind as string)) {
          const message = `Invalid option: expected one of ${KINDS.map((name) => `"${name}"`).join("|")}`;
          const errors = [{ path: [], message, name: "ValidationError" }];
          return { status: 400, body: { error: { name: "ValidationError", message, details: { errors } } } };
        }
        const ofKind = types.filter(({ definition }) => !kind || (definition.kind ?? "collectionType") === kind);
        return ok({ data: ofKind.map(describeType) });
      },
    },
    {
      method: "GET",
      path: "/content-manager/components",
      handle: () => ok({ data: components.map(describeComponent) }),
    },
  ];
}

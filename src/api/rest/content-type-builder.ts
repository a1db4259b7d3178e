/** Routes that describe the schema, for tools that generate code and sites. Responses have no envelope. */

import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import { customFieldTypes, UNKNOWN_FIELD_TYPE } from "../../engine/schema/custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { describeComponent, describeType, isVisible } from "../../engine/schema/describe.ts";
import { boundDetails } from "../../lib/print-value.ts";
import { mapValues } from "../../lib/records.ts";
import type { RestResult, RestRoute } from "./call.ts";

const PLUGIN = "plugin::content-type-builder";
const KINDS = ["singleType", "collectionType"];

const dataResult = (found: unknown): RestResult => ({ status: 200, body: { data: found } });

const unknownKind = (value: unknown): RestResult => {
  const name = "ValidationError";
  const message = `this must be one of the following values: ${KINDS.join(", ")}`;
  const details = boundDetails({ errors: [{ path: [], message, name, value }] });
  return { status: 400, body: { error: { name, message, details } } };
};

/** As in Strapi, custom fields have the types that plugins have registered. */
const withFieldTypes =
  (fieldType: (uid: string) => string | undefined) =>
  <S extends { readonly definition: RawContentType["definition"] | RawComponent["definition"] }>(schema: S): S => {
    const { attributes } = schema.definition;
    if (!Object.values(attributes).some(({ type }) => type === "customField")) return schema;
    const typed = mapValues(attributes, (attribute) =>
      attribute.type === "customField"
        ? { ...attribute, type: fieldType(String(attribute.customField)) ?? UNKNOWN_FIELD_TYPE }
        : attribute,
    );
    return { ...schema, definition: { ...schema.definition, attributes: typed } };
  };

/** `fieldTypes`: of custom fields, from config/galley.json. */
export function contentTypeBuilderRoutes(
  { types, components, customFields }: RawSchema,
  fieldTypes: Readonly<Record<string, string>> = {},
): RestRoute[] {
  const toTyped = withFieldTypes(customFieldTypes(fieldTypes, customFields));
  const describe = (type: RawContentType) => describeType(toTyped(type));
  const read = (path: string, action: string, handle: RestRoute["handle"]): RestRoute => ({
    method: "GET",
    path: `/content-type-builder/${path}`,
    action: `${PLUGIN}.${action}`,
    handle,
  });
  return [
    read("content-types", "content-types.getContentTypes", ({ query }) => {
      const { kind } = query();
      if (kind !== undefined && !KINDS.includes(kind as string)) return unknownKind(kind);
      const ofKind = withAdministration(types).filter(
        ({ definition }) => !kind || (definition.kind ?? "collectionType") === kind,
      );
      return dataResult(ofKind.map(describe));
    }),
    read("content-types/:uid", "content-types.getContentType", ({ params: { uid } }) => {
      const type = types.find((item) => item.uid === uid);
      if (!type || !isVisible(type)) return { status: 404, body: { error: "contentType.notFound" } };
      return dataResult(describe(type));
    }),
    read("components", "components.getComponents", () =>
      dataResult(components.map((component) => describeComponent(toTyped(component)))),
    ),
    read("components/:uid", "components.getComponent", ({ params: { uid } }) => {
      const component = components.find((item) => item.uid === uid);
      return component
        ? dataResult(describeComponent(toTyped(component)))
        : { status: 404, body: { error: "component.notFound" } };
    }),
  ];
}

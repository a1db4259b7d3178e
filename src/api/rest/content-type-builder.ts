/** Routes that describe the schema, for tools that generate code and sites. Responses have no envelope. */

import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { describeComponent, describeType, isVisible } from "../../engine/schema/describe.ts";
import { boundDetails } from "../../lib/print-value.ts";
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

export function contentTypeBuilderRoutes({ types, components }: RawSchema): RestRoute[] {
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
      return dataResult(ofKind.map(describeType));
    }),
    read("content-types/:uid", "content-types.getContentType", ({ params: { uid } }) => {
      const type = types.find((item) => item.uid === uid);
      if (!type || !isVisible(type)) return { status: 404, body: { error: "contentType.notFound" } };
      return dataResult(describeType(type));
    }),
    read("components", "components.getComponents", () => dataResult(components.map(describeComponent))),
    read("components/:uid", "components.getComponent", ({ params: { uid } }) => {
      const component = components.find((item) => item.uid === uid);
      return component
        ? dataResult(describeComponent(component))
        : { status: 404, body: { error: "component.notFound" } };
    }),
  ];
}

/** `/content-type-builder`: content-types and components, written to the project's files and served immediately. */
import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import { describeComponent, describeType, isVisible } from "../../engine/schema/describe.ts";
import { reservedNames } from "../../engine/schema/reserved-names.ts";
import { type AdminResponse, type AdminRoute, route as adminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { applyEdit } from "./apply.ts";
import { BuilderRefusal } from "./builder-error.ts";
import {
  changeComponent,
  changeType,
  createComponent,
  createType,
  type Edit,
  removeCategory,
  removeComponent,
  removeType,
  renameCategory,
} from "./edits.ts";
import { builderBody, checkKind } from "./input.ts";
import { schemaRoutes } from "./schema.ts";

export function builderRoutes(services: AdminServices): AdminRoute[] {
  const { types, components } = services.schema;
  const route = (method: AdminRoute["method"], path: string, handle: AdminRoute["handle"]): AdminRoute =>
    adminRoute(method, `/content-type-builder/${path}`, handle);
  const save = async ({ uid, edit }: Edit, status = 200): Promise<AdminResponse> => {
    await applyEdit(services, edit);
    return { status, body: { data: { uid } } };
  };
  return [
    route("GET", "reserved-names", () => ok(reservedNames)),
    route("GET", "content-types", ({ query }) => {
      const { kind } = query();
      if (kind !== undefined) checkKind(kind);
      const found = withAdministration(types).filter(
        ({ definition }) => kind === undefined || (definition.kind ?? "collectionType") === kind,
      );
      return ok({ data: found.map(describeType) });
    }),
    route("GET", "content-types/:uid", ({ params: { uid } }) => {
      const type = types.find((item) => item.uid === uid);
      if (!type || !isVisible(type)) throw new BuilderRefusal(404, "contentType.notFound");
      return ok({ data: describeType(type) });
    }),
    route("POST", "content-types", async (call) => save(createType(services, await builderBody(call)), 201)),
    route("PUT", "content-types/:uid", async (call) => {
      const { uid = "" } = call.params;
      // a missing type is refused first
      const body = types.some((type) => type.uid === uid) ? await builderBody(call) : {};
      return save(changeType(services, uid, body), 201);
    }),
    route("DELETE", "content-types/:uid", ({ params }) => save(removeType(services, params.uid ?? ""))),
    route("GET", "components", () => ok({ data: components.map(describeComponent) })),
    route("GET", "components/:uid", ({ params: { uid } }) => {
      const found = components.find((item) => item.uid === uid);
      if (!found) throw new BuilderRefusal(404, "component.notFound");
      return ok({ data: describeComponent(found) });
    }),
    route("POST", "components", async (call) => save(createComponent(services, await builderBody(call)), 201)),
    route("PUT", "components/:uid", async (call) => {
      const { uid = "" } = call.params;
      const body = components.some((component) => component.uid === uid) ? await builderBody(call) : {};
      return save(changeComponent(services, uid, body));
    }),
    route("DELETE", "components/:uid", ({ params }) => save(removeComponent(services, params.uid ?? ""))),
    route("PUT", "component-categories/:name", async (call) => {
      const change = renameCategory(services, call.params.name ?? "", await builderBody(call));
      if (!change) return ok({});
      await applyEdit(services, change.edit);
      return ok({ name: change.uid });
    }),
    route("DELETE", "component-categories/:name", async ({ params }) => {
      const { uid, edit } = removeCategory(services, params.name ?? "");
      await applyEdit(services, edit);
      return ok({ name: uid });
    }),
    ...schemaRoutes(services),
  ];
}

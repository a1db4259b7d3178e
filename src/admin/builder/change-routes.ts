/** The page's own routes for changes of types: those of the builder, with a preview and with renamed attributes. */

import { type TProperties, Type } from "@sinclair/typebox";
import { scalarTypes } from "../../engine/attributes/index.ts";
import { commonShape, linkedShapes } from "../../engine/schema/check/shapes.ts";
import { stringOrEmpty } from "../../lib/coerce.ts";
import { type AdminRoute, type JsonObject, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";
import { applyEdit } from "./apply.ts";
import { BuilderError } from "./builder-error.ts";
import {
  changeComponent,
  changeType,
  createComponent,
  createType,
  type Edit,
  removeComponent,
  removeType,
} from "./edits.ts";
import { previewEdit } from "./preview.ts";

interface AttributeTypeOptions {
  readonly type: string;
  /** Options of the type itself, by key. */
  readonly options: Readonly<TProperties>;
}

export const attributeTypes = (): {
  readonly common: TProperties;
  readonly types: readonly AttributeTypeOptions[];
} => ({
  common: commonShape,
  types: [
    ...Object.entries(scalarTypes).map(([type, { options }]) => ({ type, options: options?.(Type) ?? {} })),
    ...Object.entries(linkedShapes).map(([type, options]) => ({ type, options })),
  ],
});

/** By the `action` of a request. Bodies are those of the builder, beside the `uid` and the `renames` of attributes. */
const actions: Readonly<
  Record<string, (services: AdminServices, uid: string, body: JsonObject, renames: unknown) => Edit>
> = {
  createType: (services, _uid, body) => createType(services, body),
  changeType,
  removeType,
  createComponent: (services, _uid, body) => createComponent(services, body),
  changeComponent,
  removeComponent,
};

/** Throws a BuilderError for an unknown action. */
function readEdit(services: AdminServices, body: JsonObject): Edit {
  const { action, uid, renames, version: _, ...content } = body;
  const make = typeof action === "string" && Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!make) throw new BuilderError(`action must be one of the following values: ${Object.keys(actions).join(", ")}`);
  return make(services, stringOrEmpty(uid), content, renames);
}

export function schemaChangeRoutes(services: AdminServices): AdminRoute[] {
  return [
    route("GET", `${API_PATH}/content-types/attribute-types`, () => ok({ data: attributeTypes() })),
    route("POST", `${API_PATH}/content-types/preview`, async ({ body }) =>
      ok({ data: await previewEdit(services, readEdit(services, await body())) }),
    ),
    route("POST", `${API_PATH}/content-types/apply`, async ({ body }) => {
      const input = await body();
      const { uid, edit } = readEdit(services, input);
      await applyEdit(services, edit, input.version === undefined ? undefined : String(input.version));
      return ok({ data: { uid } });
    }),
  ];
}

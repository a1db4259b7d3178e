/** The permissions of the only role, which are all. */

import type { ComponentDefinition, RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { notFound } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { superAdmin } from "../account/super-admin.ts";
import { objectBody } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { isDisplayed } from "../content-manager/types.ts";
import { listLocales } from "../i18n/locales.ts";
import type { AdminServices } from "../services.ts";
import { staticActions } from "./static-actions.ts";

const PREFIX = "plugin::content-manager.explorer";
/** Actions on content-types. */
const typeActions = [
  { action: `${PREFIX}.create`, hasFields: true },
  { action: `${PREFIX}.read`, hasFields: true, isForHidden: true },
  { action: `${PREFIX}.update`, hasFields: true },
  { action: `${PREFIX}.delete` },
  { action: `${PREFIX}.publish` },
];

/**
 * The fields of a schema and of its components in dot notation: `seo.metaTitle`. A component that contains itself is not expanded again.
 */
function listFields(
  { components }: RawSchema,
  { attributes }: Pick<RawContentType["definition"] | ComponentDefinition, "attributes">,
  path: readonly string[] = [],
): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]): string[] => {
    if (attribute.visible === false) return [];
    const uid = attribute.type === "component" ? String(attribute.component) : undefined;
    const inner = uid === undefined || path.includes(uid) ? undefined : components.find((item) => item.uid === uid);
    const children = inner ? listFields({ types: [], components }, inner.definition, [...path, inner.uid]) : [];
    return children.length > 0 ? children.map((child) => `${name}.${child}`) : [name];
  });
}

interface Permission {
  readonly id: number;
  readonly action: string;
  readonly actionParameters: object;
  /** A type's uid. */
  readonly subject: string | null;
  readonly properties: { readonly fields?: readonly string[]; readonly locales?: readonly string[] };
  readonly conditions: readonly string[];
}

const text: Shape = { type: "string", strict: true };
const checks: Shape = {
  type: "object",
  fields: {
    permissions: {
      type: "array",
      strict: true,
      required: true,
      item: () => ({
        type: "object",
        strict: true,
        exact: true,
        fields: { action: { ...text, required: true }, subject: { ...text, nullable: true }, field: text },
      }),
    },
  },
};

interface Check {
  readonly action: string;
  readonly subject?: string | null;
  readonly field?: string;
}

/** The administrator has every permission that exists. */
const isAllowed = (all: readonly Permission[], { action, subject: uid, field }: Check): boolean =>
  all.some(
    (permission) =>
      permission.action === action &&
      (permission.subject === null || permission.subject === uid) &&
      (!field || permission.properties.fields === undefined || permission.properties.fields.includes(field)),
  );

export function permissionRoutes({ context, schema }: AdminServices): AdminRoute[] {
  const permissions = (): Permission[] => {
    const locales = listLocales(context).map(({ code }) => String(code));
    const ofTypes = typeActions.flatMap(({ action, hasFields, isForHidden }) =>
      schema.types
        .filter((type) => isForHidden || isDisplayed(type))
        .map(({ uid, definition }) => {
          const isLocalized = definition.pluginOptions?.i18n?.localized === true;
          const fields = hasFields ? { fields: listFields(schema, definition) } : {};
          return { action, subject: uid, properties: { ...fields, ...(isLocalized ? { locales } : {}) } };
        }),
    );
    const others = staticActions.map((action) => ({ action, subject: null, properties: {} }));
    return [...ofTypes, ...others].map((permission, index) => ({
      id: index + 1,
      actionParameters: {},
      ...permission,
      conditions: [],
    }));
  };
  return [
    route("GET", "/admin/users/me/permissions", () => ok({ data: permissions() })),
    route("GET", "/admin/roles/:id/permissions", ({ params }) => {
      if (params.id !== String(superAdmin.id)) throw notFound("role.notFound");
      return ok({ data: permissions() });
    }),
    route("POST", "/admin/permissions/check", async (call) => {
      const input = await objectBody(call);
      checkBody(checks, input);
      const all = permissions();
      return ok({ data: (input.permissions as readonly Check[]).map((check) => isAllowed(all, check)) });
    }),
  ];
}

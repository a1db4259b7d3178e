/** `/admin/permissions`, and the permissions of the only role, which are all. */

import type { RawContentType } from "../../engine/schema/definition.ts";
import { notFound } from "../../lib/errors.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { superAdmin } from "../account/super-admin.ts";
import { objectBody } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { isDisplayed } from "../content-manager/types.ts";
import { listLocales } from "../i18n/locales.ts";
import type { AdminServices } from "../services.ts";
import { staticActions } from "./static-actions.ts";
import { fieldPaths, isLocalized, listFields, listSubjects, typeActions } from "./type-actions.ts";

/** Strapi's built-in conditions. They distinguish administrators; there is only one, so they always hold. */
const conditions = [
  { id: "admin::is-creator", displayName: "Is creator", category: "default" },
  { id: "admin::has-same-role-as-creator", displayName: "Has same role as creator", category: "default" },
];

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

export function permissionRoutes({ context, schema }: AdminServices): AdminRoute[] {
  const locales = () => listLocales(context).map(({ code, name, isDefault }) => ({ code, name, isDefault }));

  const permissions = (): Permission[] => {
    const codes = locales().map(({ code }) => String(code));
    const ofTypes = typeActions.flatMap((action) =>
      listSubjects(schema, action).map((type) => {
        const fields = action.applyToProperties.includes("fields")
          ? { fields: fieldPaths(listFields(schema, type.definition)) }
          : {};
        const properties = { ...fields, ...(isLocalized(type) ? { locales: codes } : {}) };
        return { action: action.actionId, subject: type.uid, properties };
      }),
    );
    const others = staticActions.map(({ action }) => ({ action, subject: null, properties: {} }));
    return [...ofTypes, ...others].map((permission, index) => ({
      id: index + 1,
      actionParameters: {},
      ...permission,
      conditions: [],
    }));
  };

  const subject = (type: RawContentType) => ({
    uid: type.uid,
    label: type.definition.info.singularName ?? type.folder,
    properties: [
      { label: "Fields", value: "fields", children: listFields(schema, type.definition) },
      ...(isLocalized(type) ? [{ label: "Locales", value: "locales", children: localeNodes() }] : []),
    ],
  });
  const localeNodes = () => locales().map(({ code, name, isDefault }) => ({ label: name, value: code, isDefault }));

  const describeSection = (kind: string) => {
    const displayed = schema.types.filter(isDisplayed);
    return {
      actions: typeActions.map(({ actionId, label, applyToProperties }) => ({
        label,
        actionId,
        subjects: displayed.map(({ uid }) => uid),
        applyToProperties,
      })),
      subjects: displayed.filter(({ definition }) => (definition.kind ?? "collectionType") === kind).map(subject),
    };
  };
  const staticSection = (name: string) =>
    staticActions.flatMap(({ section, ...action }) => (section === name ? [action] : []));

  /** The administrator has every permission that exists. */
  const isAllowed = (all: readonly Permission[], { action, subject: uid, field }: Check): boolean =>
    all.some(
      (permission) =>
        permission.action === action &&
        (permission.subject === null || permission.subject === uid) &&
        (!field || permission.properties.fields === undefined || permission.properties.fields.includes(field)),
    );
  const rolePermissions = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
    if (params.id !== String(superAdmin.id)) throw notFound("role.notFound");
    return ok({ data: permissions() });
  };

  return [
    route("GET", "/admin/users/me/permissions", () => ok({ data: permissions() })),
    route("GET", "/admin/roles/:id/permissions", rolePermissions),
    route("GET", "/admin/permissions", () =>
      ok({
        data: {
          conditions,
          sections: {
            plugins: staticSection("plugins"),
            settings: staticSection("settings"),
            singleTypes: describeSection("singleType"),
            collectionTypes: describeSection("collectionType"),
          },
        },
      }),
    ),
    route("POST", "/admin/permissions/check", async (call) => {
      const input = await objectBody(call);
      checkBody(checks, input);
      const all = permissions();
      return ok({ data: (input.permissions as readonly Check[]).map((check) => isAllowed(all, check)) });
    }),
  ];
}

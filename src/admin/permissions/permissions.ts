/** The permissions of the only role, which are all. */
import { staticActions, typeActions } from "../../engine/access/administrator-actions.ts";
import type { ComponentDefinition, RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { notFound } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { checkBody } from "../../lib/shape.ts";
import { superAdmin } from "../account/super-admin.ts";
import { exactly, listOf, objectBody, objectOf, requiredText, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { isDisplayed } from "../content-manager/types.ts";
import { listLocales } from "../i18n/locales.ts";
import type { AdminServices } from "../services.ts";

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

export interface Check {
  readonly action: string;
  readonly subject?: string | null;
  readonly field?: string;
}

/** Those for an action. The administrator has every permission that exists. As in Strapi, actions on content-types need a subject. */
export const permissionsFor = (all: readonly Permission[], { action, subject: uid, field }: Check): Permission[] =>
  all.filter(
    (permission) =>
      permission.action === action &&
      (permission.subject === null || permission.subject === uid) &&
      (!field || permission.properties.fields === undefined || permission.properties.fields.includes(field)),
  );

export const isAllowed = (all: readonly Permission[], check: Check): boolean => permissionsFor(all, check).length > 0;

export type PermissionSources = Pick<AdminServices, "context" | "schema" | "registeredActions">;

/** Actions that own code has registered, on the types that there are. */
function ownActions({ schema, registeredActions }: PermissionSources) {
  const actions = registeredActions();
  const isOnTypes = ({ section }: Readonly<Record<string, unknown>>): boolean => section === "contentTypes";
  const onTypes = actions.filter(isOnTypes).map(({ actionId, subjects, options }) => {
    const uids = new Set([subjects].flat());
    const hasFields = [toRecord(options).applyToProperties].flat().includes("fields");
    return { action: String(actionId), hasFields, types: schema.types.filter(({ uid }) => uids.has(uid)) };
  });
  const others = actions.filter((action) => !isOnTypes(action)).map(({ actionId }) => String(actionId));
  return { onTypes, others };
}

export function listPermissions(sources: PermissionSources): Permission[] {
  const { context, schema } = sources;
  const locales = listLocales(context).map(({ code }) => String(code));
  const own = ownActions(sources);
  const onTypes = typeActions.map(({ action, hasFields, isForHidden }) => ({
    ...{ action, hasFields },
    types: schema.types.filter((type) => isForHidden || isDisplayed(type)),
  }));
  const ofTypes = [...onTypes, ...own.onTypes].flatMap(({ action, hasFields, types }) =>
    types.map(({ uid, definition }) => {
      const isLocalized = definition.pluginOptions?.i18n?.localized === true;
      const fields = hasFields ? { fields: listFields(schema, definition) } : {};
      return { action, subject: uid, properties: { ...fields, ...(isLocalized ? { locales } : {}) } };
    }),
  );
  const others = [...staticActions.map(({ actionId }) => actionId), ...own.others].map((action) => ({
    action,
    subject: null,
    properties: {},
  }));
  return [...ofTypes, ...others].map((permission, index) => ({
    id: index + 1,
    actionParameters: {},
    ...permission,
    conditions: [],
  }));
}

const check = exactly({ action: requiredText, subject: { ...text, nullable: true }, field: text });
const checks = objectOf({ permissions: listOf(check, { required: true }) });

export function permissionRoutes(services: AdminServices): AdminRoute[] {
  const permissions = () => listPermissions(services);
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
      return ok({ data: (input.permissions as readonly Check[]).map((each) => isAllowed(all, each)) });
    }),
  ];
}

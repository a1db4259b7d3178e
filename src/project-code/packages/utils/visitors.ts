/** The visitors of `sanitize` and `validate`: with the same rules, one removes a name and the other throws. */
import { isRecord } from "../../../query/key-check.ts";
import { ValidationError } from "../errors.ts";
import { contentTypes, isMedia, isRelational } from "./content-types.ts";
import type { QueryVisitor, Visited } from "./traverse-query.ts";

/** Whether a name is not allowed. */
type Rule = (visited: Visited & { readonly allowedExtraRootKeys?: readonly string[] }) => boolean;

const removeIf =
  (rule: Rule): QueryVisitor =>
  (visited, { remove }) => {
    if (rule(visited)) remove(visited.key);
  };

/** Throws the error for an invalid key. `path`: up to the last attribute, or as written. */
export function refuseKey(key: string, path: string | null | undefined): never {
  const location = path && path !== key ? ` at ${path}` : "";
  throw new ValidationError(`Invalid key ${key}${location}`, { key, path });
}

const refuseIf =
  (rule: Rule): QueryVisitor =>
  (visited) => {
    if (rule(visited)) refuseKey(visited.key, visited.path.attribute);
  };

const isPassword: Rule = ({ attribute }) => attribute?.type === "password";
const isPrivate: Rule = ({ attribute, schema, key }) =>
  attribute !== undefined &&
  (attribute.private === true || (schema !== undefined && contentTypes.isPrivateAttribute(schema, key)));
const isMorph: Rule = ({ attribute }) => contentTypes.isMorphToRelationalAttribute(attribute);
const isZone: Rule = ({ attribute, key }) => contentTypes.isDynamicZoneAttribute(attribute, key);

function checkedList(names: unknown, what: string): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  throw new TypeError(`Expected array of strings for ${what} but got "${typeof names}"`);
}

const isBelow = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`);

/** `null`: everything is allowed. */
const isNotAllowed =
  (names: unknown): Rule =>
  ({ path: { attribute } }) => {
    if (names === null) return false;
    const allowed = checkedList(names, "allowedFields");
    return attribute !== null && !allowed.some((name) => isBelow(attribute, name) || isBelow(name, attribute));
  };

/** `null`: everything is restricted. */
const isRestricted =
  (names: unknown): Rule =>
  ({ path: { attribute } }) => {
    if (names === null) return true;
    const forbidden = checkedList(names, "restrictedFields");
    return attribute !== null && forbidden.some((name) => isBelow(attribute, name));
  };

/** Names that are neither attributes nor keys such as `id`, `__component` or `connect`, where these are allowed. */
const isUnknown: Rule = ({ key, attribute, path, schema, parent, allowedExtraRootKeys }) => {
  if (attribute) return false;
  const isId = contentTypes.ID_FIELDS.some((name) => name === key);
  if (path.attribute === null) return !isId && !allowedExtraRootKeys?.includes(key);
  const parentAttribute = parent?.attribute;
  const isLink = isRelational(parentAttribute, "") || isMedia(parentAttribute, "");
  const allowedNames = [
    [contentTypes.isMorphToRelationalAttribute(parentAttribute), contentTypes.MORPH_TO_KEYS],
    [
      contentTypes.isComponentSchema(schema) && contentTypes.isDynamicZoneAttribute(parentAttribute, ""),
      contentTypes.DYNAMIC_ZONE_KEYS,
    ],
    [isLink, contentTypes.RELATION_OPERATION_KEYS],
    [isLink || contentTypes.isComponentAttribute(parentAttribute, ""), contentTypes.ID_FIELDS],
  ] as const;
  return !allowedNames.some(([holds, names]) => holds && names.some((name) => name === key));
};

/** `auth`: `ctx.state.auth`. Without an ability, nothing may be read. */
function canFind(auth: unknown, uid: unknown): boolean {
  const ability = isRecord(auth) ? auth.ability : undefined;
  return isRecord(ability) && typeof ability.can === "function" && ability.can(`${String(uid)}.find`) === true;
}

/** Relations to types that the caller may not read. Polymorphic relations keep entries of other types. */
const restrictedRelations =
  (refuse: QueryVisitor) =>
  (auth: unknown): QueryVisitor =>
  (visited, tools) => {
    const { key, value, attribute, schema } = visited;
    if (!attribute || !isRelational(attribute, "")) return;
    const isCreator = key === "createdBy" || key === "updatedBy";
    if (isCreator && isRecord(schema?.options) && schema.options.populateCreatorFields) return;
    if (!contentTypes.isMorphToRelationalAttribute(attribute)) {
      if (!canFind(auth, attribute.target)) refuse(visited, tools);
      return;
    }
    if (isRecord(value) && isRecord(value.on)) {
      const on = Object.entries(value.on).filter(([uid]) => canFind(auth, uid));
      if (on.length > 0) tools.set(key, { ...value, on: Object.fromEntries(on) });
      else refuse(visited, tools);
      return;
    }
    const readable = [value].flat().filter((entry) => isRecord(entry) && canFind(auth, entry.__type));
    if (Array.isArray(value) && (readable.length > 0 || value.length === 0)) tools.set(key, readable);
    else if (readable.length === 0) refuse(visited, tools);
  };

/** Expands `*` to all attributes that can be populated. */
const expandWildcardPopulate: QueryVisitor = ({ schema, key, value }, { set }) => {
  if (key !== "" || value !== "*") return;
  const names = Object.entries(schema?.attributes ?? {}).filter(
    ([name, attribute]) => !contentTypes.isScalarAttribute(attribute, name),
  );
  set("", Object.fromEntries(names.map(([name]) => [name, true])));
};

export const removers = {
  removePassword: removeIf(isPassword),
  removePrivate: removeIf(isPrivate),
  removeRestrictedRelations: restrictedRelations((visited, { remove }) => remove(visited.key)),
  removeMorphToRelations: removeIf(isMorph),
  removeDynamicZones: removeIf(isZone),
  removeDisallowedFields: (names: unknown = null) => removeIf(isNotAllowed(names)),
  removeRestrictedFields: (names: unknown = null) => removeIf(isRestricted(names)),
  removeUnrecognizedFields: removeIf(isUnknown),
  expandWildcardPopulate,
};

export const refusers = {
  throwPassword: refuseIf(isPassword),
  throwPrivate: refuseIf(isPrivate),
  throwRestrictedRelations: restrictedRelations((visited) => refuseKey(visited.key, visited.path.attribute)),
  throwMorphToRelations: refuseIf(isMorph),
  throwDynamicZones: refuseIf(isZone),
  throwDisallowedFields: (names: unknown = null) => refuseIf(isNotAllowed(names)),
  throwRestrictedFields: (names: unknown = null) => refuseIf(isRestricted(names)),
  throwUnrecognizedFields: refuseIf(isUnknown),
};

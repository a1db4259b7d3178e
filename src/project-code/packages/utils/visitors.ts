/** The visitors of `sanitize` and `validate`: the same rules, which remove a name or refuse it. */
import { isRecord } from "../../../query/key-check.ts";
import { ValidationError } from "../errors.ts";
import { contentTypes, isMedia, isRelational } from "./content-types.ts";
import type { QueryVisitor, Visited } from "./traverse-query.ts";

/** Whether a name is not allowed. */
type Rule = (visited: Visited & { readonly allowedExtraRootKeys?: readonly string[] }) => boolean;

const removing =
  (rule: Rule): QueryVisitor =>
  (visited, { remove }) => {
    if (rule(visited)) remove(visited.key);
  };

/** Throws the error of an unknown key. `path`: up to the last attribute, or as it was written. */
export function refuseKey(key: string, path: string | null | undefined): never {
  const at = path && path !== key ? ` at ${path}` : "";
  throw new ValidationError(`Invalid key ${key}${at}`, { key, path });
}

const refusing =
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

/** `null` allows everything. */
const isOutside =
  (names: unknown): Rule =>
  ({ path: { attribute } }) => {
    if (names === null) return false;
    const allowed = checkedList(names, "allowedFields");
    return attribute !== null && !allowed.some((name) => isBelow(attribute, name) || isBelow(name, attribute));
  };

/** `null` forbids everything. */
const isAmong =
  (names: unknown): Rule =>
  ({ path: { attribute } }) => {
    if (names === null) return true;
    const forbidden = checkedList(names, "restrictedFields");
    return attribute !== null && forbidden.some((name) => isBelow(attribute, name));
  };

/** Names that are no attributes, but for those that belong to what holds them. */
const isUnknown: Rule = ({ key, attribute, path, schema, parent, allowedExtraRootKeys }) => {
  if (attribute) return false;
  const isId = contentTypes.ID_FIELDS.some((name) => name === key);
  if (path.attribute === null) return !isId && !allowedExtraRootKeys?.includes(key);
  const holder = parent?.attribute;
  const isLink = isRelational(holder, "") || isMedia(holder, "");
  const known = [
    [contentTypes.isMorphToRelationalAttribute(holder), contentTypes.MORPH_TO_KEYS],
    [
      contentTypes.isComponentSchema(schema) && contentTypes.isDynamicZoneAttribute(holder, ""),
      contentTypes.DYNAMIC_ZONE_KEYS,
    ],
    [isLink, contentTypes.RELATION_OPERATION_KEYS],
    [isLink || contentTypes.isComponentAttribute(holder, ""), contentTypes.ID_FIELDS],
  ] as const;
  return !known.some(([holds, names]) => holds && names.some((name) => name === key));
};

/** The caller of `ctx.state.auth`. Without an ability, nothing may be read. */
function canFind(auth: unknown, uid: unknown): boolean {
  const ability = isRecord(auth) ? auth.ability : undefined;
  return isRecord(ability) && typeof ability.can === "function" && ability.can(`${String(uid)}.find`) === true;
}

/** Relations to types that the caller may not read. Polymorphic ones keep the entries of the others. */
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
    const left = [value].flat().filter((entry) => isRecord(entry) && canFind(auth, entry.__type));
    if (Array.isArray(value) && (left.length > 0 || value.length === 0)) tools.set(key, left);
    else if (left.length === 0) refuse(visited, tools);
  };

/** With `*`, everything that can be populated. */
const expandWildcardPopulate: QueryVisitor = ({ schema, key, value }, { set }) => {
  if (key !== "" || value !== "*") return;
  const names = Object.entries(schema?.attributes ?? {}).filter(
    ([name, attribute]) => !contentTypes.isScalarAttribute(attribute, name),
  );
  set("", Object.fromEntries(names.map(([name]) => [name, true])));
};

export const removers = {
  removePassword: removing(isPassword),
  removePrivate: removing(isPrivate),
  removeRestrictedRelations: restrictedRelations((visited, { remove }) => remove(visited.key)),
  removeMorphToRelations: removing(isMorph),
  removeDynamicZones: removing(isZone),
  removeDisallowedFields: (names: unknown = null) => removing(isOutside(names)),
  removeRestrictedFields: (names: unknown = null) => removing(isAmong(names)),
  removeUnrecognizedFields: removing(isUnknown),
  expandWildcardPopulate,
};

export const refusers = {
  throwPassword: refusing(isPassword),
  throwPrivate: refusing(isPrivate),
  throwRestrictedRelations: restrictedRelations((visited) => refuseKey(visited.key, visited.path.attribute)),
  throwMorphToRelations: refusing(isMorph),
  throwDynamicZones: refusing(isZone),
  throwDisallowedFields: (names: unknown = null) => refusing(isOutside(names)),
  throwRestrictedFields: (names: unknown = null) => refusing(isAmong(names)),
  throwUnrecognizedFields: refusing(isUnknown),
};

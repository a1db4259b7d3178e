/** Changes of roles, users and tokens in `config/galley.json`: a row for each kind. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { actionNames, expandActions } from "../../engine/access/action-names.ts";
import type { GalleySettings } from "../../engine/config/galley-file.ts";
import type { Model } from "../../engine/schema/model.ts";
import { ApiError, applicationError, validationError } from "../../lib/errors.ts";
import { pickBy } from "../../lib/records.ts";
import type { ConfigChange } from "../config-file.ts";

const MAX_NAMES = 10_000;
const Name = Type.String({ minLength: 1, maxLength: 255 });
/** The type of a role, as in the file: letters of any script. */
const RoleType = Type.String({ minLength: 1, maxLength: 255, pattern: "^(?!__proto__$)[\\w\\-\\u0080-\\uffff]+$" });
const Actions = Type.Array(Type.String({ maxLength: 500 }), { maxItems: MAX_NAMES });

/** Names for the actions. Wildcards of the file are kept if all actions that they match are still granted. */
function actionList(model: Model, before: readonly string[], granted: readonly string[]): string[] {
  const allActions = actionNames(model);
  const missing = new Set(granted);
  const keptNames = before.filter((name) => {
    const { actions } = expandActions([name], allActions);
    // an action of the project's own code, or one that no longer exists
    const matching = actions.length > 0 ? actions : [name];
    return (
      matching.every((action) => granted.includes(action)) &&
      matching.map((action) => missing.delete(action)).some(Boolean)
    );
  });
  return [...keptNames, ...missing];
}

/** The actions of the names with the changes from `seen` to `wanted`, so that what others have changed since stays. */
function withChanges(model: Model, names: readonly string[], seen: readonly string[], wanted: readonly string[]) {
  const { actions, unknown } = expandActions(names, actionNames(model));
  const [before, after] = [new Set(seen), new Set(wanted)];
  return [...new Set([...actions, ...unknown]).difference(before.difference(after)).union(after.difference(before))];
}

type ReadChange = (input: unknown, model: Model) => ConfigChange;

/** Throws a ValidationError for input of another shape; the returned change throws an ApiError for invalid values. */
const createChangeReader =
  <T extends TObject>(
    shape: T,
    apply: (settings: GalleySettings, input: Static<T>, model: Model) => GalleySettings,
  ): ReadChange =>
  (input, model) => {
    const error = Value.Errors(shape, input).First();
    if (error) throw validationError(`${error.path.slice(1).replaceAll("/", ".") || "change"}: ${error.message}`);
    return (settings) => apply(settings, input as Static<T>, model);
  };

const without = <T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  pickBy(record, (_, key) => key !== name);

/** Throws a NotFoundError where the list has no such item. */
function replaceItems<T>(
  list: readonly T[] = [],
  matches: (item: T) => boolean,
  change: (item: T) => T | undefined,
): T[] {
  if (!list.some(matches)) throw new ApiError("NotFoundError", "config/galley.json has no such entry");
  return list.flatMap((item) => (matches(item) ? (change(item) ?? []) : [item]));
}

const isUser =
  (name: string) =>
  ({ username }: { readonly username?: unknown }): boolean =>
    username === name;
/** Tokens of administrators are not changed here. */
const isToken =
  (wanted: string) =>
  ({ name, type }: { readonly name: string; readonly type?: unknown }): boolean =>
    name === wanted && type !== "admin";
const removed = (): undefined => undefined;

/** Roles that always exist. */
const STANDARD_ROLES = ["public", "authenticated"];

const changeKinds = {
  role: createChangeReader(
    // `seen`: the actions before they were changed to `actions`; absent, or of a role that the file lacks: all others are revoked
    Type.Object({ type: RoleType, actions: Actions, seen: Type.Optional(Actions) }),
    (settings, { type, actions, seen }, model) => {
      const roles = settings.roles ?? {};
      const before = Object.hasOwn(roles, type) ? roles[type] : undefined;
      const granted = seen && before ? withChanges(model, before, seen, actions) : actions;
      return { ...settings, roles: { ...roles, [type]: actionList(model, before ?? [], granted) } };
    },
  ),
  removeRole: createChangeReader(Type.Object({ type: RoleType }), (settings, { type }) => {
    if (STANDARD_ROLES.includes(type)) throw applicationError(`The role ${type} always exists`);
    const members = (settings.users ?? []).filter(({ role }) => role === type).map(({ username }) => username);
    if (members.length > 0) throw applicationError(`config/galley.json gives this role to ${members.join(", ")}`);
    if (settings.auth?.defaultRole === type)
      throw applicationError("config/galley.json gives this role to new users (auth.defaultRole)");
    return { ...settings, roles: without(settings.roles ?? {}, type) };
  }),
  user: createChangeReader(
    Type.Object({
      username: Name,
      role: Type.Optional(RoleType),
      blocked: Type.Optional(Type.Boolean()),
      confirmed: Type.Optional(Type.Boolean()),
    }),
    (settings, { username, role, blocked, confirmed }) => {
      const changed = Object.entries({ role, blocked, confirmed }).filter(([, value]) => value !== undefined);
      const change = (user: object) => ({ ...user, ...Object.fromEntries(changed) });
      const users = replaceItems<object>(settings.users, isUser(username), change);
      return { ...settings, users: users as NonNullable<GalleySettings["users"]> };
    },
  ),
  removeUser: createChangeReader(Type.Object({ username: Name }), (settings, { username }) => ({
    ...settings,
    users: replaceItems(settings.users, isUser(username), removed),
  })),
  token: createChangeReader(
    Type.Object({
      name: Name,
      type: Type.Union([Type.Literal("full-access"), Type.Literal("read-only"), Type.Literal("custom")]),
      permissions: Actions,
    }),
    (settings, { name, type, permissions }, model) => ({
      ...settings,
      tokens: replaceItems(settings.tokens, isToken(name), ({ permissions: before = [], ...token }) => {
        if (type !== "custom") return { ...token, type };
        return { ...token, type, permissions: actionList(model, before, permissions) };
      }),
    }),
  ),
  removeToken: createChangeReader(Type.Object({ name: Name }), (settings, { name }) => ({
    ...settings,
    tokens: replaceItems(settings.tokens, isToken(name), removed),
  })),
} satisfies Record<string, ReadChange>;

/** Throws a ValidationError for an unknown kind, and for input of another shape. */
export function readChange(model: Model, name: unknown, input: unknown): ConfigChange {
  if (typeof name !== "string" || !Object.hasOwn(changeKinds, name))
    throw validationError(`kind must be one of the following values: ${Object.keys(changeKinds).join(", ")}`);
  return changeKinds[name as keyof typeof changeKinds](input, model);
}

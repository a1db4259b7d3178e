/** The names of everything that can be permitted, in the order in which the reference lists them. */
import type { ContentType, Model } from "../schema/model.ts";
import { apiTypes } from "../schema/model.ts";

const collectionActions = ["find", "findOne", "create", "update", "delete"] as const;
const singleActions = ["find", "update", "delete"] as const;
export type ContentActionName = (typeof collectionActions)[number];

export const contentActions = (type: Pick<ContentType, "kind">): readonly ContentActionName[] =>
  type.kind === "singleType" ? singleActions : collectionActions;

/** By plugin and controller. */
export const pluginActions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "plugin::content-type-builder": {
    components: ["getComponents", "getComponent"],
    "content-types": ["getContentTypes", "getContentType"],
  },
  "plugin::email": { email: ["send"] },
  "plugin::upload": { "content-api": ["find", "findPage", "findOne", "destroy", "upload"] },
  "plugin::i18n": { locales: ["listLocales"] },
  "plugin::users-permissions": {
    auth: [
      "callback",
      "changePassword",
      "resetPassword",
      "refresh",
      "logout",
      "getSessions",
      "revokeSession",
      "connect",
      "forgotPassword",
      "register",
      "emailConfirmation",
      "sendEmailConfirmation",
    ],
    user: ["create", "update", "find", "findOne", "count", "destroy", "me"],
    role: ["createRole", "findOne", "find", "updateRole", "deleteRole"],
    permissions: ["getPermissions"],
  },
};

/** Every action of a project. */
export function actionNames(model: Model): string[] {
  const content = apiTypes(model).flatMap((type) => contentActions(type).map((action) => `${type.uid}.${action}`));
  const plugins = Object.entries(pluginActions).flatMap(([plugin, controllers]) =>
    Object.entries(controllers).flatMap(([controller, actions]) =>
      actions.map((action) => `${plugin}.${controller}.${action}`),
    ),
  );
  return [...content, ...plugins];
}

/** Expands a list of action names; a trailing `*` matches any ending. Unknown names are returned separately. */
export function expandActions(
  names: readonly string[],
  known: readonly string[],
): { actions: string[]; unknown: string[] } {
  const actions = new Set<string>();
  const unknown: string[] = [];
  for (const name of names) {
    const matches = name.endsWith("*")
      ? known.filter((action) => action.startsWith(name.slice(0, -1)))
      : known.filter((action) => action === name);
    if (matches.length === 0) unknown.push(name);
    for (const match of matches) actions.add(match);
  }
  return { actions: [...actions], unknown };
}

/** The edit distance of two strings. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The error message for an unknown action, with the closest known name. */
export function unknownAction(name: string, known: readonly string[]): string {
  const nearest = known.map((action) => [distance(name, action), action] as const).sort(([a], [b]) => a - b)[0];
  const hint = nearest ? `; did you mean ${nearest[1]}?` : "";
  return `there is no action ${name}${hint}`;
}

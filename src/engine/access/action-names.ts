/** The names of all actions, in Strapi's order. */
import { hintFor } from "../../lib/nearest.ts";
import type { ContentType, Model } from "../schema/model.ts";
import { apiTypes } from "../schema/model.ts";

const collectionActions = ["find", "findOne", "create", "update", "delete"] as const;
const singleActions = ["find", "update", "delete"] as const;
export type ContentActionName = (typeof collectionActions)[number];

export const contentActions = (type: Pick<ContentType, "kind">): readonly ContentActionName[] =>
  type.kind === "singleType" ? singleActions : collectionActions;

/** Actions of plugins, by plugin and controller. */
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

/** The error message for an unknown action, with the closest known name. */
export function unknownAction(name: string, known: readonly string[]): string {
  return `there is no action ${name}${hintFor(name, known, Number.POSITIVE_INFINITY)}`;
}

/** The types whose changes a caller learns of: those of which the caller may list all documents. */
import { contentRoutes } from "../../api/actions.ts";
import type { Ability } from "../../engine/access/access.ts";
import { FILE, LOCALE, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import type { Project } from "../project/project.ts";

export interface ListedType {
  readonly uid: string;
  /** The action that lists its documents. */
  readonly action: string;
  /** Where REST lists them, below the prefix. */
  readonly path: string;
}

const PLUGIN_TYPES: readonly ListedType[] = [
  { uid: FILE, action: "plugin::upload.content-api.find", path: "/upload/files" },
  { uid: LOCALE, action: "plugin::i18n.locales.listLocales", path: "/i18n/locales" },
  { uid: ROLE, action: "plugin::users-permissions.role.find", path: "/users-permissions/roles" },
  { uid: USER, action: "plugin::users-permissions.user.find", path: "/users" },
];

/**
 * For a caller. What own code does in reads of a type cannot be applied to a list of its changes, so that such a type is not listed: its
 * policies may refuse single documents.
 */
export function createListedTypes({ model, settings, code }: Project): (ability: Ability) => ReadonlySet<string> {
  const ofApi = contentRoutes(model).flatMap(({ type, action, path }): ListedType[] =>
    action === `${type.uid}.find` && (!code || code.servesCore(action)) ? [{ uid: type.uid, action, path }] : [],
  );
  const all = [...ofApi, ...PLUGIN_TYPES];
  return (ability) => {
    const isListed = ({ uid, action, path }: ListedType): boolean =>
      ability.can(action) && (!code || code.leavesReads(uid, settings.rest.prefix + path));
    return new Set(all.filter(isListed).map(({ uid }) => uid));
  };
}

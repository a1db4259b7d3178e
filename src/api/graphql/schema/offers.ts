/** The root fields of each content-type, and their permissions. */
import { FILE, LOCALE, PERMISSION, ROLE, USER } from "../../../engine/schema/builtin/index.ts";
import type { ContentType } from "../../../engine/schema/model.ts";

export interface RootFieldRules {
  readonly find: string;
  readonly findOne: string;
  /** Of the list with information about the page; by default `find`. */
  readonly findPage?: string;
  /** Documents can be created, updated and deleted by generated fields. */
  readonly writable: boolean;
}

const LIST_LOCALES = "plugin::i18n.locales.listLocales";

/** Types of plugins that differ from those of projects; undefined: no root fields, reachable through relations only. */
const exceptions: Readonly<Record<string, Partial<RootFieldRules> | undefined>> = {
  [FILE]: {
    find: "plugin::upload.content-api.find",
    findOne: "plugin::upload.content-api.findOne",
    writable: false,
  },
  // as in Strapi, no role can have the permission for the page
  [LOCALE]: { find: LIST_LOCALES, findOne: LIST_LOCALES, findPage: `${LOCALE}.find`, writable: false },
  [PERMISSION]: undefined,
  [ROLE]: { writable: false },
  [USER]: { writable: false },
};

export function rootFieldRules({ uid, kind }: ContentType): RootFieldRules | undefined {
  const defaults = {
    find: `${uid}.find`,
    findOne: `${uid}.${kind === "singleType" ? "find" : "findOne"}`,
    writable: true,
  };
  if (!Object.hasOwn(exceptions, uid)) return defaults;
  const exception = exceptions[uid];
  return exception && { ...defaults, ...exception };
}

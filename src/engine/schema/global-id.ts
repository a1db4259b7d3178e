/** Strapi's `globalId` of content-types and components. */
import { pascalCase } from "./names.ts";

/** Words of plugin names with a special spelling. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = { i18n: "I18N" };

/** Of a content-type. Names of APIs are not part of it. */
export function typeGlobalId(uid: string): string {
  if (uid.startsWith("admin::")) return `Admin${pascalCase(uid.slice("admin::".length))}`;
  const [owner = "", name = ""] = uid.slice(uid.indexOf("::") + 2).split(".");
  const prefix = uid.startsWith("api::") ? "" : (PLUGIN_NAMES[owner] ?? pascalCase(owner));
  return `${prefix}${pascalCase(name)}`;
}

export const componentGlobalId = (uid: string): string => `Component${pascalCase(uid)}`;

/** Strapi's `globalId` of content-types and components. */
import { pascalCase } from "./names.ts";

/** Of a content-type. Names of APIs are not part of it. */
export function typeGlobalId(uid: string): string {
  if (uid.startsWith("admin::")) return pascalCase(uid);
  const [owner = "", name = ""] = uid.slice(uid.indexOf("::") + 2).split(".");
  return uid.startsWith("api::") ? pascalCase(name) : pascalCase(`${owner}-${name}`);
}

export const componentGlobalId = (uid: string): string => pascalCase(`component-${uid}`);

/** Settings of the server that follow `strapi.config.set`. As in Strapi, the others are read at the start. */

import { parseSeconds, type Settings } from "../../engine/config/settings.ts";
import { toRecord } from "../../lib/is-record.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type FollowedSettings = { readonly [K in "rest" | "graphql" | "upload" | "auth"]: Mutable<Settings[K]> };

const countFrom = (min: number, value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) >= min ? (value as number) : undefined;
const filterTexts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;

/** What to do with a new value, by path. Invalid values are what a missing one is. */
const followed: Readonly<Record<string, (settings: FollowedSettings, value: unknown) => void>> = {
  "api.rest.defaultLimit": ({ rest }, value) => {
    rest.defaultLimit = countFrom(1, value) ?? 25;
  },
  "api.rest.maxLimit": ({ rest }, value) => {
    rest.maxLimit = countFrom(1, value);
  },
  "api.rest.withCount": ({ rest }, value) => {
    rest.withCount = value !== false;
  },
  "plugin.graphql.defaultLimit": ({ graphql }, value) => {
    graphql.defaultLimit = countFrom(1, value) ?? 10;
  },
  "plugin.graphql.maxLimit": ({ graphql }, value) => {
    graphql.maxLimit = countFrom(-1, value) ?? 100;
  },
  // 0 is no limit
  "plugin.upload.sizeLimit": ({ upload }, value) => {
    upload.sizeLimit = Number(value) || 0;
  },
  "plugin.upload.security": ({ upload }, value) => {
    const { allowedTypes, deniedTypes } = toRecord(value);
    upload.allowedTypes = filterTexts(allowedTypes);
    upload.deniedTypes = filterTexts(deniedTypes);
  },
  "plugin.users-permissions.jwt.expiresIn": ({ auth }, value) => {
    const isLifespan = typeof value === "string" || typeof value === "number";
    auth.jwtLifespan = (isLifespan ? parseSeconds(value) : undefined) ?? auth.jwtLifespan;
  },
};

/** Called before a value in a section changes. The returned function applies the new values; whether there are any. */
export function followConfig(section: string, get: (path: string) => unknown): (settings: Settings) => boolean {
  const before = Object.keys(followed)
    .filter((path) => path.startsWith(`${section}.`))
    .map((path) => [path, get(path)] as const);
  return (settings) => {
    const changed = before.filter(([path, value]) => get(path) !== value);
    for (const [path] of changed) followed[path]!(settings, get(path));
    return changed.length > 0;
  };
}

/** `strapi.config`: the files of `config/`, by dotted paths. Code may change values. */
import { type Environment, loadEnvironment } from "../../engine/config/env.ts";
import { ConfigFiles } from "../../engine/config/files.ts";
import { readPackageJson } from "../../engine/config/packages.ts";
import { isAbsolute, type PublicUrls, readPublicUrls } from "../../engine/config/public-urls.ts";
import { REFERENCE_VERSION } from "../../engine/config/reference-version.ts";
import { parseSeconds, type Settings } from "../../engine/config/settings.ts";
import { ProjectReport } from "../../lib/errors.ts";
import { isRecord, merge, toRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";
import { adminDefaults, pluginDefaults, serverDefaults } from "./config-defaults.ts";

/** Settings of the server that follow `strapi.config.set`. As in Strapi, the others are read at the start. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type FollowedSettings = { readonly [K in "rest" | "graphql" | "upload" | "auth"]: Mutable<Settings[K]> };

const countFrom = (min: number, value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) >= min ? (value as number) : undefined;
const filterTexts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;

/**
 * Settings of the server that follow `strapi.config.set`, by path: what to do with a new value. Invalid values are what a missing one is. As
 * in Strapi, other settings are read at the start.
 */
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
function followConfig(section: string, get: (path: string) => unknown): (settings: Settings) => boolean {
  const before = Object.keys(followed)
    .filter((path) => path.startsWith(`${section}.`))
    .map((path) => [path, get(path)] as const);
  return (settings) => {
    const changed = before.filter(([path, value]) => get(path) !== value);
    for (const [path] of changed) followed[path]!(settings, get(path));
    return changed.length > 0;
  };
}

type Path = string | readonly string[];
type Tree = Record<string, unknown>;

/** `list[0].name` is the same as `list.0.name`. */
const splitPath = (path: Path): readonly string[] =>
  typeof path === "string" ? path.replace(/\[["']?([^\]"']+)["']?\]/g, ".$1").split(".") : path;

/** `plugin::name.key` is converted to `plugin.name.key`. */
function toConfigPath(path: Path | null | undefined): readonly string[] {
  const [first = "", ...rest] = splitPath(path ?? "");
  const plugin = /^plugin::(.+)$/.exec(first)?.[1];
  return plugin === undefined ? [first, ...rest] : ["plugin", plugin, ...rest];
}

export interface CodeConfig {
  readonly get: (path: Path, defaultValue?: unknown) => unknown;
  /** Returns the configuration itself. */
  readonly set: (path: Path, value: unknown) => CodeConfig & Tree;
  readonly has: (path: Path) => boolean;
}

function withGetters(section: Tree, getters: PropertyDescriptorMap = {}): Tree {
  for (const [name, { get }] of Object.entries(getters))
    Object.defineProperty(section, name, { get, enumerable: true, configurable: true });
  return section;
}

export interface ConfigSource {
  readonly root: string;
  readonly environment: Environment;
  readonly settings: Settings;
  /** URL of the server. */
  readonly address: () => string;
  /** Undefined while the project is not open. */
  readonly tokenSalt: () => string | undefined;
  /** Undefined while the project is not open. */
  readonly jwtSecret: () => string | undefined;
  /** Code has set a value. `apply` changes the settings that follow it. */
  readonly changed: (apply: (settings: Settings) => boolean) => void;
}

const withSalt = (apiToken: unknown, salt: string | undefined): Tree => ({
  ...toRecord(apiToken),
  ...(salt === undefined ? {} : { salt }),
});

const hostOf = ({ settings }: ConfigSource): string => settings.server.host ?? "localhost";
const portOf = ({ settings }: ConfigSource): number => settings.server.port ?? 1337;

/** `strapi` in package.json. */
const ownSettings = (root: string): Tree => toRecord(readPackageJson(root).strapi);

/** What the files say less exactly. Getters: the address is there once the server listens. */
function derivedValues(source: ConfigSource, files: ConfigFiles): Readonly<Record<string, PropertyDescriptorMap>> {
  const { server } = source.settings;
  const urls = (): PublicUrls => readPublicUrls(files, server.url);
  const origin = (): string => (server.url ? "" : source.address()) || `http://${hostOf(source)}:${portOf(source)}`;
  const absolute = (url: string): string => (isAbsolute(url) ? url : origin() + url);
  return {
    server: {
      url: { get: () => urls().server },
      absoluteUrl: { get: () => absolute(urls().server) },
    },
    admin: {
      url: { get: () => urls().admin },
      path: { get: () => urls().adminPath },
      absoluteUrl: { get: () => absolute(urls().admin) },
      // code that hashes keys of tokens gets the salt of the stored hashes
      apiToken: { get: () => withSalt(files.section("admin").section.apiToken, source.tokenSalt()) },
    },
    database: {
      // code that asks for the kind of database gets that of the database that there is
      connection: { get: () => ({ ...toRecord(files.section("database").section.connection), client: "sqlite" }) },
    },
  };
}

const createDefaults = (source: ConfigSource, files: ConfigFiles): Readonly<Record<string, () => Tree>> => ({
  server: () => serverDefaults(source.settings, hostOf(source), portOf(source)),
  admin: adminDefaults,
  api: () => ({ rest: { prefix: source.settings.rest.prefix } }),
  plugin: () => {
    const own = mapValues(files.section("plugins").section, (entry) => isRecord(entry) && toRecord(entry.config));
    const plugins = merge(pluginDefaults(source.settings), own) as Tree;
    // code that signs tokens by itself gets the secret that they are verified with
    const users = toRecord(plugins["users-permissions"]);
    const { jwtSecret: configured } = users;
    withGetters(users, { jwtSecret: { get: () => configured ?? source.jwtSecret() } });
    return plugins;
  },
  info: () => ({ ...readPackageJson(source.root), strapi: REFERENCE_VERSION }),
  packageJsonStrapi: () => {
    const { uuid: _, ...others } = ownSettings(source.root);
    return others;
  },
});

/** Each file is read on first use. */
export function createConfig(source: ConfigSource): CodeConfig & Tree {
  const { root } = source;
  const environment = loadEnvironment(root, source.environment);
  const files = new ConfigFiles(root, environment, new ProjectReport());
  const tree: Tree = { launchedAt: Date.now(), autoReload: environment.NODE_ENV !== "production" };
  const derived = derivedValues(source, files);
  const defaults = createDefaults(source, files);
  const ownNames = files.ownNames();
  const readOwn = (name: string): unknown => {
    if (ownNames.has(name)) return files.ownValue(name) ?? {};
    return name === "middlewares" ? (files.list(name)?.list ?? []) : files.section(name).section;
  };
  const section = (name: string): unknown => {
    if (Object.hasOwn(tree, name)) return tree[name];
    if (name === "uuid" || name === "installId") return ownSettings(root)[name];
    const own = readOwn(name);
    const merged = isRecord(own) ? withGetters({ ...merge(defaults[name]?.() ?? {}, own) }, derived[name]) : own;
    // a missing file is undefined, not empty
    const isEmpty = isRecord(merged) && Object.keys(merged).length === 0 && name !== "packageJsonStrapi";
    tree[name] = isEmpty ? undefined : merged;
    return tree[name];
  };
  const find = (path: Path): unknown => {
    const [first = "", ...rest] = toConfigPath(path);
    if (first === "environment") return environment.NODE_ENV ?? "development";
    let value: unknown = section(first);
    for (const step of rest) value = isRecord(value) || Array.isArray(value) ? (value as Tree)[step] : undefined;
    return value;
  };
  const config: CodeConfig = {
    get: (path, defaultValue) => {
      const value = find(path);
      return value === undefined ? defaultValue : value;
    },
    has: (path) => find(path) !== undefined,
    set: (path, value) => {
      const steps = toConfigPath(path);
      if (steps.length > 1) section(steps[0]!);
      const apply = followConfig(steps[0]!, find);
      let target = tree;
      for (const step of steps.slice(0, -1)) {
        const next = isRecord(target[step]) ? { ...target[step] } : {};
        target[step] = next;
        target = next;
      }
      target[steps.at(-1) ?? ""] = value;
      source.changed(apply);
      return whole;
    },
  };
  // `strapi.config.server.port` is the older form
  const whole: CodeConfig & Tree = new Proxy(config as CodeConfig & Tree, {
    get: (target, name) => (typeof name !== "string" || name in target ? Reflect.get(target, name) : find(name)),
    set: (_, name, value) => {
      config.set(String(name), value);
      return true;
    },
  });
  return whole;
}

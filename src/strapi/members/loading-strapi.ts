/**
 * The global `strapi` while a project's files are loaded. The same object gets its other members once the project is open, so that files
 * may keep it.
 */
import type { Environment } from "../../engine/config/env.ts";
import { loadSettings, type Settings } from "../../engine/config/settings.ts";
import { errorMessage, ProjectError, ProjectReport } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { createLog, type Log } from "../lib/log.ts";
import { type CodeConfig, type ConfigSource, createConfig } from "./config.ts";
import { editionMembers, featureFlags } from "./edition-members.ts";
import { EventHub } from "./event-hub.ts";
import { createDirs, createFiles } from "./files.ts";
import { McpRegistry } from "./mcp.ts";
import { createRequestContext } from "./request-context.ts";

type Members = Record<string, unknown>;

interface OpenProject extends Pick<ConfigSource, "settings" | "address"> {
  readonly access: { readonly tokens: { readonly salt: string }; readonly jwt: { readonly secret: string } };
  readonly context: { readonly storage: { readonly invalidate: () => void } };
}

/** As in Strapi, nothing is registered yet. */
const lookups = ["service", "plugin", "controller", "policy", "middleware", "contentType", "getModel", "api"] as const;
const registries = [
  "plugins",
  "controllers",
  "services",
  "policies",
  "middlewares",
  "contentTypes",
  "components",
  "apis",
] as const;

/** Members that need the project. Files may keep them, and call them later. */
const pending = [
  "documents",
  "query",
  "db",
  "entityService",
  "entityValidator",
  "store",
  "cron",
  "server",
  "contentAPI",
  "customFields",
  "webhookStore",
  "webhookRunner",
  "sanitizers",
  "validators",
  "admin",
  "hook",
  "get",
  "add",
  "has",
] as const;
const functions: ReadonlySet<string> = new Set(["documents", "query", "store", "hook", "get", "add", "has"]);

type Call = (...args: readonly unknown[]) => unknown;

/** Stands for `strapi.<path>`. Its members stand for members; calling it before the project is open throws. */
function createPending(path: readonly string[], resolve: () => unknown): object {
  const name = `strapi.${path.join(".")}`;
  const isFunction = path.length > 1 || functions.has(name.slice("strapi.".length));
  return new Proxy(isFunction ? function pendingMember() {} : {}, {
    get(_, key) {
      const value = resolve() as Members | undefined;
      if (value) {
        const member = value[key as string];
        return typeof member === "function" ? (member as Call).bind(value) : member;
      }
      if (typeof key === "symbol" || key === "then") return undefined;
      return createPending([...path, key], () => (resolve() as Members | undefined)?.[key]);
    },
    apply(_, __, args: unknown[]) {
      const value = resolve();
      // as in Strapi, a store may be created, which reads and writes later
      if (value === undefined && name === "strapi.store")
        return createPending(["store()"], () => (resolve() as Call | undefined)?.(...args));
      if (typeof value !== "function") throw new Error(`${name}() cannot be called while files are loaded`);
      return (value as Call)(...args);
    },
  });
}

/** A log as `config/logger` says, unless that cannot be used. */
function createConfiguredLog(level: string, config: CodeConfig): Log {
  try {
    return createLog(level, toRecord(config.get("logger")));
  } catch (error) {
    const log = createLog(level);
    // a file that cannot be read is reported once the project is open
    if (!(error instanceof ProjectError)) log.warn(`config/logger is not used: ${errorMessage(error)}`);
    return log;
  }
}

export type LoadingStrapi = ReturnType<typeof createLoadingStrapi>;

/** What files may already use while they are loaded. */
export function createLoadingStrapi(root: string, environment: Environment) {
  let project: OpenProject | undefined;
  let settings: Settings | undefined;
  const config = createConfig({
    root,
    environment,
    get settings() {
      // problems of configuration files are reported when the project is opened
      settings ??= loadSettings(root, environment, new ProjectReport());
      return project?.settings ?? settings;
    },
    address: () => project?.address() ?? "",
    tokenSalt: () => project?.access.tokens.salt,
    jwtSecret: () => project?.access.jwt.secret,
    changed: (apply) => {
      if (project && apply(project.settings)) project.context.storage.invalidate();
    },
  });
  const log = createConfiguredLog(environment.LOG_LEVEL ?? "info", config);
  const hub = new EventHub();
  const requestContext = createRequestContext();
  const mcp = new McpRegistry(() => config.get("server.mcp.enabled") === true);
  const isOpen = (): boolean => project !== undefined;
  const lookup = (name: string): Call => {
    const find: Call = (...args) => (strapi[name] === find ? undefined : (strapi[name] as Call)(...args));
    return find;
  };
  const strapi: Members = {
    config,
    log,
    eventHub: hub,
    requestContext,
    get dirs() {
      return createDirs(root, (project?.settings ?? settings ?? loadSettings(root, environment)).server.publicFolder);
    },
    isLoaded: false,
    ...editionMembers,
    ai: { admin: { isEnabled: () => false }, mcp: mcp.members },
    features: featureFlags(config),
    fs: createFiles(root),
    ...Object.fromEntries(lookups.map((name) => [name, lookup(name)])),
    ...Object.fromEntries(registries.map((name) => [name, {}])),
  };
  for (const name of pending) {
    const member = createPending([name], () => (isOpen() && strapi[name] !== member ? strapi[name] : undefined));
    strapi[name] = member;
  }
  return {
    strapi,
    config,
    log,
    hub,
    requestContext,
    /** What code registers for the Model Context Protocol. */
    mcp,
    /** Runs synchronous `work` while all members but configuration and folders are `replacement`. */
    withReplaced<T>(replacement: object, work: () => T): T {
      const names = [...lookups, ...registries, ...pending, "log", "eventHub"];
      const members = Object.fromEntries(names.map((name) => [name, strapi[name]]));
      for (const name of names) strapi[name] = replacement;
      try {
        return work();
      } finally {
        Object.assign(strapi, members);
      }
    },
    /** Called before `members` are added: from now on, the configuration is that of the open project. */
    open: (opened: OpenProject): void => {
      project = opened;
    },
  };
}

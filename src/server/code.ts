/** Finds and loads a project's own code, and starts it once the project is open. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contentActions } from "../engine/access/action-names.ts";
import { type Environment, loadEnvironment, provideEnvironment } from "../engine/config/env.ts";
import { ConfigFiles, isSection, type Section } from "../engine/config/files.ts";
import { type HttpSettings, httpSettings } from "../engine/config/middlewares.ts";
import { isInstalled, listDependencies } from "../engine/config/packages.ts";
import { providePackages } from "../engine/config/provided-packages.ts";
import { configOfPlugin, LOCAL, providerFile } from "../engine/config/providers.ts";
import type { Settings } from "../engine/config/settings.ts";
import type { RawComponent, RawContentType, RegisteredFields } from "../engine/schema/definition.ts";
import { extendPluginTypes } from "../engine/schema/load.ts";
import { apiTypes, type Model } from "../engine/schema/model.ts";
import { perVersion } from "../engine/storage/connection.ts";
import { type ProjectProblem, ProjectReport } from "../lib/errors.ts";
import { once } from "../lib/once.ts";
import { findCodeFiles, ownCode, uncompiledFiles } from "../strapi/loader/code-files.ts";
import type { CodeBundle } from "../strapi/loader/load.ts";
import { withRegisteredFields } from "../strapi/loader/registered-fields.ts";
import { providedNames } from "../strapi/packages/names.ts";
import { grantAddedActions } from "./project/apply-settings.ts";
import type { Project } from "./project/project.ts";
import { loadProjectSchema } from "./project/project-source.ts";
import { toExtensions } from "./routes/graphql-routes.ts";
import { pluginRows } from "./routes/plugin-rows.ts";

const RESPONSE_TIMEOUT_S = 60;

/** A project's code, loaded before the project is opened. */
export interface FoundCode {
  readonly bundle: CodeBundle;
  /** Whether what fails while it starts is left out and reported. */
  readonly skipsFailures: boolean;
  /** Those that are known before the code runs. */
  readonly actions: readonly string[];
  /** Whether there may be others once it runs. */
  readonly mayAddActions: boolean;
  /** Content-types of the project's plugins, and those that extensions and `register` change. */
  readonly types: readonly RawContentType[];
  /** Components that `register` changes. */
  readonly components: readonly RawComponent[];
  /** The custom fields in these. */
  readonly customFields?: RegisteredFields;
}

const packages = () => require("../strapi/packages/index.ts") as typeof import("../strapi/packages/index.ts");

providePackages({
  names: new Set(providedNames),
  register: () => {
    packages().registerPackages();
    (
      require("../strapi/loader/node-resolution.ts") as typeof import("../strapi/loader/node-resolution.ts")
    ).hookPackages();
  },
  findCompanion: (name) => packages().findCompanion(name),
});

const CONFIG_EXTENSIONS = ["js", "ts", "json", "cjs", "mjs"];
const hasConfig = (root: string, name: string): boolean =>
  CONFIG_EXTENSIONS.some((extension) => existsSync(join(root, `config/${name}.${extension}`)));

/** The value of `config/plugins`; empty if there is no such file. */
export function readPluginConfig(root: string, environment: Environment): Section {
  return hasConfig(root, "plugins") ? openConfig(root, environment).section("plugins").section : {};
}

/** Whether `config/<name>` has `pattern`: most files need not be run to know it. */
function configHas(root: string, environment: Environment, name: string, pattern: RegExp): boolean {
  const mode = environment.NODE_ENV ?? "development";
  return ["config", `config/env/${mode}`]
    .flatMap((folder) => CONFIG_EXTENSIONS.map((extension) => join(root, folder, `${name}.${extension}`)))
    .some((file) => existsSync(file) && pattern.test(readFileSync(file, "utf8")));
}

const openConfig = (root: string, environment: Environment, report = new ProjectReport()): ConfigFiles =>
  new ConfigFiles(root, loadEnvironment(root, environment), report);

const FILTERS = /\b(?:origin|credentials|resolve|strapi::ip|strapi::responseTime)\b|(?<!\bstrapi)::/;

/** Whether `config/middlewares` has functions that decide about origins, built-in middlewares that filter requests, or others. */
function hasFilters(root: string, environment: Environment): boolean {
  if (!configHas(root, environment, "middlewares", FILTERS)) return false;
  const report = new ProjectReport();
  const { list = [] } = openConfig(root, environment, report).list("middlewares") ?? {};
  const { cors, filtersRequests, others } = httpSettings(list, "config/middlewares", report);
  return cors.isDynamic || filtersRequests || others.length > 0;
}

/** Whether `config/server` has cron tasks. */
function hasCronTasks(root: string, environment: Environment): boolean {
  if (!configHas(root, environment, "server", /\bcron\b/)) return false;
  const { cron } = openConfig(root, environment).section("server").section;
  return isSection(cron) && cron.enabled === true && isSection(cron.tasks) && Object.keys(cron.tasks).length > 0;
}

const READS_CONTENT = /(?<![\w.])strapi\.(?:documents|db|entityService|service|plugin|config|getModel)\b/;

/** Whether `config/admin` reads content, as its function for previews does. */
const needsContent = (root: string, environment: Environment): boolean =>
  configHas(root, environment, "admin", READS_CONTENT);

/** Whether `config/logger` decides where lines are written, or how. */
const hasLogger = (root: string, environment: Environment): boolean =>
  configHas(root, environment, "logger", /\b(?:transports|format)\b/);

/** Whether the project's own upload provider stores its files. */
function hasUploadProvider(root: string, environment: Environment, plugins: Section): boolean {
  const { provider } = configOfPlugin(plugins, "upload");
  if (provider === undefined || providerFile(root, "upload", provider) === undefined) return false;
  const { upload } = openConfig(root, environment).section("galley").section;
  return !(isSection(upload) && upload.provider === LOCAL);
}

/**
 * Resolves with undefined for a project without code, unless `strapi` is needed. Rejects with a ProjectError for code that cannot be
 * loaded, unless it is left out. `replaced`: of the code that serves until this one has started.
 */
export async function findCode(
  root: string,
  environment: Environment,
  skipsFailures: boolean,
  needsStrapi = false,
  replaced?: CodeBundle["handles"],
): Promise<FoundCode | undefined> {
  const files = findCodeFiles(root);
  const hasPlugins = hasConfig(root, "plugins") || listDependencies(root).some((name) => isInstalled(name, root));
  const pluginConfig = hasPlugins ? readPluginConfig(root, environment) : {};
  const plugins = hasPlugins
    ? (
        require("../strapi/loader/plugin-files.ts") as typeof import("../strapi/loader/plugin-files.ts")
      ).findPluginFiles(root, pluginConfig)
    : [];
  const hasFiles = plugins.length > 0 || ownCode(root, files).length > 0;
  const hasCode = needsStrapi || hasFiles || hasUploadProvider(root, environment, pluginConfig);
  const isConfigured = [hasFilters, hasCronTasks, needsContent, hasLogger].some((needs) => needs(root, environment));
  if (!hasCode && !isConfigured) return undefined;
  provideEnvironment(loadEnvironment(root, environment));
  const { loadCode } = require("../strapi/loader/load.ts") as typeof import("../strapi/loader/load.ts");
  // generated files alone do not keep types without them from being served
  const bundle = await loadCode(root, hasFiles ? [...files, ...plugins] : [], skipsFailures, environment, replaced);
  try {
    return { bundle, skipsFailures, ...(await readDeclarations(root, bundle)) };
  } catch (error) {
    bundle.handles.undo();
    throw error;
  }
}

/** What the code declares before it runs. Rejects with a ProjectError. */
async function readDeclarations(
  root: string,
  bundle: CodeBundle,
): Promise<Omit<FoundCode, "bundle" | "skipsFailures">> {
  const { listActions, mayAddActions, pluginTypes, routedTypes } =
    require("../strapi/loader/declarations.ts") as typeof import("../strapi/loader/declarations.ts");
  const { extendedTypes } =
    require("../strapi/loader/extended-types.ts") as typeof import("../strapi/loader/extended-types.ts");
  const { registeredSchemas } =
    require("../strapi/loader/registered-types.ts") as typeof import("../strapi/loader/registered-types.ts");
  // problems in schema files are reported when the project is opened
  const declared = once(() => loadProjectSchema(root, new ProjectReport()));
  const { plugins: modules } = bundle.code;
  const report = new ProjectReport();
  const ofPlugins = extendPluginTypes(root, modules.keys(), pluginTypes(bundle.code), report);
  report.finish();
  const extended = await extendedTypes(bundle, () => [...declared().types, ...ofPlugins]);
  const types = replacedByUid(ofPlugins, extended);
  const registered = await registeredSchemas(bundle, () => ({
    types: replacedByUid(declared().types, types),
    components: declared().components,
  }));
  const schemas = {
    types: registered ? replacedByUid(types, registered.types) : types,
    components: registered?.components ?? [],
  };
  return {
    actions: listActions(
      bundle.code,
      once(() => routedTypes([...declared().types, ...ofPlugins])),
    ),
    mayAddActions: mayAddActions(bundle.code),
    ...withRegisteredFields(root, schemas),
  };
}

/** The schemas with those of `others` in place of the ones with the same uid, and the rest of `others`. */
export function replacedByUid<S extends { readonly uid: string }>(schemas: readonly S[], others: readonly S[]): S[] {
  const byUid = new Map(others.map((other) => [other.uid, other]));
  return [...new Set([...schemas.map((own) => byUid.get(own.uid) ?? own), ...others])];
}

/** Messages about entries of config/middlewares without effect. `runsCode`: those of the project have an effect. */
export const ignoredMiddlewares = ({ others, ignored }: HttpSettings, runsCode: boolean): readonly string[] => [
  ...(runsCode ? [] : others.map((name) => `${name} is the project's own code, which is not run`)),
  ...ignored,
];

/** Grants of `config/galley.json` without effect: as in Strapi, an action exists if a route calls it. */
export const grantsWithoutRoute = ({ galley }: Settings, absent: ReadonlySet<string>): ProjectProblem[] =>
  Object.entries(galley.roles ?? {}).flatMap(([role, names]) => {
    const apis = names
      .filter((name) => name.startsWith("api::") && absent.has(name.replace(/\*$/, "find")))
      .map((name) => name.slice("api::".length).split(".")[0]!);
    return [...new Set(apis)].map((api) => ({
      file: "config/galley.json",
      key: `roles.${role}`,
      reason: `grants actions of api::${api} that no route calls, so that they are refused; a file in src/api/${api}/routes with createCoreRouter adds the routes`,
    }));
  });

/** The actions of content-types whose apis declare no routes, if others do. */
export function actionsOfApisWithoutRoutes({ code }: CodeBundle, model: Model): ReadonlySet<string> {
  const routed = new Set(code.files.filter(({ kind }) => kind === "route").map(({ owner }) => owner));
  const types = apiTypes(model).filter(({ uid }) => !routed.has(uid.slice("api::".length).split(".")[0]));
  if (routed.size === 0) return new Set();
  return new Set(types.flatMap((type) => contentActions(type).map((action) => `${type.uid}.${action}`)));
}

function formConfigurations(project: Project) {
  const { createConfigurations } =
    require("../admin/content-manager/configuration/routes.ts") as typeof import("../admin/content-manager/configuration/routes.ts");
  return [...createConfigurations(project).all()];
}

/** Starts the code of a project. Rejects with the errors of the code while it starts, unless failing code is left out. */
export async function startCode(
  project: Project,
  { bundle, actions, skipsFailures }: FoundCode,
  address: () => string,
): Promise<Project> {
  const { transactions, context, settings, interception } = project;
  if (!transactions) throw new Error("The project was opened without its code");
  await project.idle();
  const { ClientDocuments } =
    require("../strapi/data/client-documents.ts") as typeof import("../strapi/data/client-documents.ts");
  const { startProjectCode } = require("../strapi/project-code.ts") as typeof import("../strapi/project-code.ts");
  const configurations = perVersion(() => formConfigurations(project));
  const code = await startProjectCode({
    bundle,
    project: {
      ...{ ...project, transactions, actions, address, webhooks: project.webhooks.current },
      formConfigurations: () => configurations(context.storage),
    },
    nativeRoutes: pluginRows(project).flat(),
    skipsFailures,
    limitMs: (settings.galley.code?.timeout ?? RESPONSE_TIMEOUT_S) * 1000,
    buildGraphql: (extension) => {
      const { createSchema } =
        require("../api/graphql/schema/schema.ts") as typeof import("../api/graphql/schema/schema.ts");
      if (settings.graphql.enabled) createSchema(context.model, settings.graphql, toExtensions(extension));
    },
    grantActions: (known) =>
      grantAddedActions(context, settings, project.access.tokens, { declared: actions, actions: known }),
    begin: (actions) => {
      interception.documents = (type, caller) => new ClientDocuments(actions, context, type, caller);
      interception.files = () => actions.files;
      interception.reports = actions.reports;
    },
  });
  const ungranted = grantsWithoutRoute(settings, project.access.access.absentActions);
  return {
    ...project,
    code,
    warnings: [...project.warnings, ...ungranted, ...uncompiledFiles(project.root)],
    close: async () => {
      await code.destroy();
      await project.close();
    },
  };
}

/**
 * Writes a changed schema into the project's files and reloads the project. If that fails, the files are restored.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { checkSchema } from "../../engine/schema/check.ts";
import type { Model, Schema } from "../../engine/schema/model.ts";
import { forgetRenames, rememberRenames } from "../../engine/storage/attribute-renames.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ApiError, applicationError, errorMessage, ProjectReport } from "../../lib/errors.ts";
import { hasDevice, hasLongName } from "../../lib/file-names.ts";
import { forgetConfigurations } from "../content-manager/configuration/routes.ts";
import { type Replacement, replaceFiles } from "../replace-files.ts";
import type { AdminServices } from "../services.ts";
import { BuilderError } from "./builder-error.ts";
import type { FileChange, SchemaEdit } from "./schema-edit.ts";
import { modelAfter, storedRenames } from "./stored-renames.ts";

const SCHEMA_FILE = /^(?<api>src\/api\/(?<folder>[^/]+))\/content-types\/(?<name>[^/]+)\/schema\.json$/;

const FACTORIES = [
  ["routes", "createCoreRouter"],
  ["controllers", "createCoreController"],
  ["services", "createCoreService"],
] as const;

interface CodeFileChange {
  readonly path: string;
  /** Null removes the file. */
  readonly after: string | null;
}

const factoryText = (factory: string, uid: string, isTypeScript: boolean): string =>
  isTypeScript
    ? `import { factories } from "@strapi/strapi";\n\nexport default factories.${factory}("${uid}");\n`
    : `const { factories } = require("@strapi/strapi");\n\nmodule.exports = factories.${factory}("${uid}");\n`;

/** The files of a folder at any depth, with `/` as separator. Links are not followed: they may lead out of the project. */
function* filesIn(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** As in Strapi: the files of the api, at any depth, that have the name of the type. */
function namedFiles(root: string, api: string, name: string): CodeFileChange[] {
  if (!existsSync(join(root, api))) return [];
  return [...filesIn(root, api)]
    .filter((path) => basename(path, extname(path)) === name)
    .map((path) => ({ path, after: null }));
}

function factoryFiles(root: string, api: string, folder: string, name: string): CodeFileChange[] {
  const isTypeScript = existsSync(join(root, "tsconfig.json"));
  const extension = isTypeScript ? "ts" : "js";
  return FACTORIES.map(([kind, factory]) => ({
    path: `${api}/${kind}/${name}.${extension}`,
    after: factoryText(factory, `api::${folder}.${name}`, isTypeScript),
  })).filter(({ path }) => !["js", "ts"].some((other) => existsSync(join(root, `${path.slice(0, -2)}${other}`))));
}

/** As in Strapi, types without files for routes are not served then. */
const declaresRoutes = (root: string): boolean =>
  existsSync(join(root, "src/api")) &&
  readdirSync(join(root, "src/api")).some((api) => existsSync(join(root, "src/api", api, "routes")));

/**
 * The code files of a content-type: the default router, controller and service of a new one, without which a project with code of its
 * own does not serve it, and those that are removed with a type, since they would refer to nothing.
 */
function codeFileChanges(root: string, { file, definition }: FileChange, hasCode: boolean): CodeFileChange[] {
  const groups = SCHEMA_FILE.exec(file)?.groups;
  if (!groups) return [];
  const { api = "", folder = "", name = "" } = groups;
  if (definition === undefined) return namedFiles(root, api, name).filter(({ path }) => path !== file);
  const isNew = !existsSync(join(root, dirname(file), "schema.json"));
  return isNew && hasCode && declaresRoutes(root) ? factoryFiles(root, api, folder, name) : [];
}

export type ApplyServices = Pick<AdminServices, "root" | "settings" | "reload" | "context" | "hasCode">;

const readText = (root: string, file: string): string | undefined => {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

/** Throws a BuilderError for a schema that cannot be served. Writes nothing. */
export function checkEdit(
  { settings }: Pick<ApplyServices, "settings">,
  edit: SchemaEdit,
  platform: NodeJS.Platform = process.platform,
): void {
  const device = edit.changes.find(({ file, definition }) => definition && hasDevice(file, platform));
  if (device) throw new BuilderError(`${device.file} cannot be a file on Windows`);
  const long = edit.changes.find(({ file, definition }) => definition && hasLongName(file));
  if (long) throw new BuilderError(`${long.file} has a name that is too long for a file`);
  // also of what is removed, or changes with another type
  const code = edit.changes.find(({ file }) => !outputFile(file).endsWith(".json"));
  if (code) throw new BuilderError(`${code.file} is code, which the builder cannot change`);
  const report = new ProjectReport();
  checkSchema(edit.result, settings.galley.customFields ?? {}, report);
  if (!report.isRefused) return;
  try {
    report.finish();
  } catch (error) {
    throw new BuilderError(errorMessage(error));
  }
}

/** Types of plugins are extended in files of their own. */
function outputFile(file: string): string {
  const [, plugin, name] = /^<plugin::([a-z\d-]+)\.([a-z\d-]+)>$/.exec(file) ?? [];
  return plugin === undefined ? file : `src/extensions/${plugin}/content-types/${name}/schema.json`;
}

const formatDefinition = ({ definition }: FileChange): string | undefined =>
  definition && `${JSON.stringify(definition, undefined, 2)}\n`;

/** The content of a file before and after a change; null if there is no file. */
export interface FileText {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export function fileTexts({ root, hasCode }: Pick<ApplyServices, "root" | "hasCode">, edit: SchemaEdit): FileText[] {
  const contents = edit.changes.flatMap((change) => [
    { path: outputFile(change.file), after: formatDefinition(change) ?? null },
    ...codeFileChanges(root, change, hasCode()),
  ]);
  return contents.map(({ path, after }) => ({ path, before: readText(root, path) ?? null, after }));
}

/** Differs if a file, or what would be written to it, is different. */
export const hashFiles = (files: readonly FileText[]): string => Bun.hash(JSON.stringify(files)).toString(36);

const removedSchemas = ({ types, components }: Model, { result }: SchemaEdit): Schema[] => {
  const remaining = new Set([...result.types, ...result.components].map(({ uid }) => uid));
  return [...types.values(), ...components.values()].filter(({ uid }) => !remaining.has(uid));
};

/** Resets the id sequence of empty tables, in case their types are created again: Strapi drops the tables. */
const restartIds = ({ storage }: DocumentsContext, removed: readonly Schema[]): Promise<void> =>
  storage.write(() => {
    for (const { table } of removed)
      if (!storage.first(`SELECT 1 FROM ${quote(table)} LIMIT 1`))
        storage.run("DELETE FROM sqlite_sequence WHERE name = ?", [table]);
  });

/**
 * Writes the changed files and reloads the project. Throws a BuilderError; the files are then restored. `version`: of the preview
 * that was looked at; a PreconditionFailedError is thrown if anything else would be written.
 */
export async function applyEdit(services: ApplyServices, edit: SchemaEdit, version?: string): Promise<void> {
  const { root, reload, context } = services;
  if (!reload)
    throw applicationError(
      "Types cannot be changed here: the project is an archive, in memory, or served by several processes",
    );
  checkEdit(services, edit);
  const files = fileTexts(services, edit);
  if (version !== undefined && version !== hashFiles(files))
    throw new ApiError("PreconditionFailedError", "The files have changed since: look at what would be written now");
  const { storage, model } = context;
  const forget = (): void => {
    if (edit.renames.length > 0) forgetRenames(storage);
  };
  const removed = removedSchemas(model, edit);
  await restartIds(context, removed);
  if (edit.renames.length > 0) rememberRenames(storage, storedRenames(model, modelAfter(services, edit), edit.renames));
  let replaced: Replacement;
  try {
    replaced = replaceFiles(root, files);
  } catch (error) {
    forget();
    throw error;
  }
  const written = files.map(({ path }) => path);
  const problem = await reload(written);
  if (problem === undefined) {
    await forgetConfigurations(storage, removed);
    return replaced.finish();
  }
  replaced.restore();
  forget();
  await reload(written);
  throw new BuilderError(problem.message);
}

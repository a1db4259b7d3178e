/** Reads and checks a project's files, and resolves them into a model. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import type { Environment } from "../../engine/config/env.ts";
import { loadSettings, type Settings } from "../../engine/config/settings.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { loadSchema } from "../../engine/schema/load.ts";
import type { Model } from "../../engine/schema/model.ts";
import { resolveModel } from "../../engine/schema/resolve.ts";
import { ProjectError, type ProjectProblem, ProjectReport } from "../../lib/errors.ts";
import { withRegisteredFields } from "../../strapi/loader/registered-fields.ts";

/** The parsed files of a project. */
export interface ProjectSource {
  readonly settings: Settings;
  readonly schema: RawSchema;
  /** Of reading the files, which also depends on the environment. */
  readonly warnings?: readonly ProjectProblem[];
  /** What a project that is open has made of them. */
  readonly resolved?: { readonly model: Model; readonly fingerprint: string };
}

/** Hash of the schema files and settings, and of what is wrong with them. */
export const fingerprintOf = ({ schema, settings, warnings = [], resolved }: ProjectSource): string =>
  resolved?.fingerprint ?? hash([schema, { ...settings, environment: undefined }, ...warnings]);

/** Raised when Galley starts to check or apply files in another way, so that unchanged files are checked and applied again. */
const RULES = 14;
/** A hash of a JSON value that also depends on Galley's version and on `RULES`. */
export const hash = (value: unknown): string => Bun.hash(JSON.stringify([version, RULES, value])).toString(36);

/** Checks all files; skipped when they have not changed since the last start. Throws a ProjectError. */
export function checkFiles({ schema, settings }: ProjectSource, report: ProjectReport): void {
  const { checkGalleyFile } =
    require("../../engine/config/galley-file.ts") as typeof import("../../engine/config/galley-file.ts");
  const { checkSchema } = require("../../engine/schema/check.ts") as typeof import("../../engine/schema/check.ts");
  report.attempt(() => checkGalleyFile(settings.galley, "config/galley.json"));
  checkSchema(schema, settings.galley.customFields ?? {}, report);
  report.finish();
}

export const dataFolder = (root: string): string => join(root, ".galley");

export const databaseFile = (root: string): string => join(dataFolder(root), "content.db");

/** Sessions of agents, each with a copy of the database. */
export const agentsFolder = (root: string): string => join(dataFolder(root), "agents");

/** Journal of an import that writes schema files. It is left behind if the import is killed. */
export const schemaJournal = (root: string): string => join(dataFolder(root), "schema-change.json");

function recover(root: string): void {
  const journal = schemaJournal(root);
  if (!existsSync(journal)) return;
  const { recoverSchemaFiles } =
    require("../../transfer/import/schema-change.ts") as typeof import("../../transfer/import/schema-change.ts");
  recoverSchemaFiles(root, journal);
}

/** The schema files, with the types of the custom fields that the project's code registers. */
export const loadProjectSchema = (root: string, report?: ProjectReport): RawSchema =>
  withRegisteredFields(root, loadSchema(root, report));

export function readSource(root: string, environment: Environment, report: ProjectReport): ProjectSource {
  recover(root);
  const files = { settings: loadSettings(root, environment, report), schema: loadProjectSchema(root, report) };
  const source = { ...files, warnings: report.warnings };
  // report all other problems in the same error
  if (report.isRefused) checkFiles(source, report);
  return source;
}

export const createModel = ({ schema, settings, resolved }: ProjectSource): Model => {
  const { privateAttributes, galley, firstPublishedAt } = settings;
  return (
    resolved?.model ??
    resolveModel(schema, { privateAttributes, customFields: galley.customFields ?? {}, firstPublishedAt })
  );
};

/** A project's model and settings, without a database. Throws a ProjectError for files that cannot be served. */
export function readModel(
  root: string,
  environment: Environment,
  read = (report: ProjectReport): ProjectSource => readSource(root, environment, report),
): { readonly model: Model; readonly settings: Settings } {
  const report = new ProjectReport();
  const source = read(report);
  checkFiles(source, report);
  return { model: createModel(source), settings: source.settings };
}

/** Replaces uids by file names in a ProjectError: layers below know types by uid, people by their file. */
export function withFile(error: unknown, { types, components }: RawSchema): unknown {
  if (!(error instanceof ProjectError)) return error;
  const findFile = (uid: string): string | undefined => [...types, ...components].find((raw) => raw.uid === uid)?.file;
  return new ProjectError(
    error.problems.map((problem) => ({ ...problem, file: findFile(problem.file) ?? problem.file })),
  );
}

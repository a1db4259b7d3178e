/**
 * Finds what a start would refuse, leave out or warn about. Files are read, and code is loaded, as at a start; the project is opened
 * in memory, and nothing of its code is called but what declares content-types.
 */
import { type Environment, loadEnvironment } from "../engine/config/env.ts";
import type { HttpSettings } from "../engine/config/middlewares.ts";
import { unusedSettings } from "../engine/config/unused-settings.ts";
import { asProjectError } from "../engine/storage/problems.ts";
import { type ProjectProblem, ProjectReport } from "../lib/errors.ts";
import { type Examination, examineCode } from "../strapi/doctor/examine.ts";
import { findCodeFiles, middlewareFile, uncompiledFiles } from "../strapi/loader/code-files.ts";
import type { CodeProblem } from "../strapi/loader/load.ts";
import { absentPlugins, findPluginFiles } from "../strapi/loader/plugin-files.ts";
import {
  actionsOfApisWithoutRoutes,
  type FoundCode,
  findCode,
  grantsWithoutRoute,
  ignoredMiddlewares,
  readPluginConfig,
} from "./code.ts";
import { openProject, type Project } from "./project/project.ts";
import { dataFolder } from "./project/project-source.ts";
import { withCode } from "./start.ts";
import { type UnreadableValues, unreadableValues } from "./unreadable-values.ts";

export interface Diagnosis extends Omit<Examination, "verdict"> {
  readonly verdict: "is refused" | Examination["verdict"];
  /** Why the project does not start. */
  readonly refused: readonly ProjectProblem[];
  /** Files, schemas and settings that are served in another way than they say. */
  readonly warnings: readonly ProjectProblem[];
  /** Settings that have an effect in Strapi only. */
  readonly unused: readonly ProjectProblem[];
  /** Stored values that cannot be read. */
  readonly unreadable: readonly UnreadableValues[];
  /** Files of the code that cannot be loaded, and are left out. */
  readonly failing: readonly CodeProblem[];
}

const attemptCode = async (root: string, environment: Environment, report: ProjectReport) => {
  try {
    return await findCode(root, environment, true);
  } catch (error) {
    report.attempt(() => {
      throw error;
    });
    return undefined;
  }
};

/** Opens the project without a database of its own; undefined if it is refused. */
function attemptOpen(root: string, environment: Environment, code: FoundCode | undefined, report: ProjectReport) {
  const options = { memory: true, publicRead: false, environment };
  return report.attempt((): Project => openProject(root, code ? withCode(root, options, code) : options));
}

/** Throws a ProjectError for a database that cannot be read. */
function attemptRead(root: string, { model }: Project): readonly UnreadableValues[] {
  try {
    return unreadableValues(root, model);
  } catch (error) {
    throw asProjectError(error, dataFolder(root));
  }
}

/** Files whose packages are missing are reported as such. */
const withoutMissing = (problems: readonly CodeProblem[], { packages }: Examination): CodeProblem[] =>
  problems.filter(({ file }) => !packages.some((missing) => missing.file === file));

const unusedPlugins = (root: string, environment: Environment): ProjectProblem[] => {
  const plugins = new ProjectReport().attempt(() => readPluginConfig(root, environment)) ?? {};
  return absentPlugins(root, plugins).map(({ name, reason }) => ({ file: "config/plugins", key: name, reason }));
};

function examine(root: string, environment: Environment, report: ProjectReport): Examination {
  const files = findCodeFiles(root);
  const plugins = report.attempt(() => findPluginFiles(root, readPluginConfig(root, environment))) ?? [];
  return examineCode(root, [...files, ...plugins]);
}

/** Whether code adds one while it starts is not known. */
const absentMiddlewares = ({ bundle }: FoundCode, { others }: HttpSettings): string[] =>
  others
    .filter((uid) => /^(?:global|api)::/.test(uid) && !middlewareFile(uid, bundle.code.files))
    .map((uid) => `there is no file of ${uid}: the start ends, unless code adds it`);

export async function diagnose(root: string, environment: Environment): Promise<Diagnosis> {
  const report = new ProjectReport();
  const examination = examine(root, environment, report);
  const code = await attemptCode(root, environment, report);
  const project = attemptOpen(root, environment, code, report);
  const unreadable = (project && report.attempt(() => attemptRead(root, project))) ?? [];
  await project?.close();
  const http = project?.settings.http;
  const ignored = http
    ? [...ignoredMiddlewares(http, code !== undefined), ...(code ? absentMiddlewares(code, http) : [])]
    : [];
  const ungranted =
    project && code ? grantsWithoutRoute(project.settings, actionsOfApisWithoutRoutes(code.bundle, project.model)) : [];
  const warnings = [
    ...(project?.warnings ?? []),
    ...ungranted,
    ...uncompiledFiles(root),
    ...ignored.map((reason) => ({ file: "config/middlewares", reason })),
  ];
  const problems = code?.bundle.code.problems ?? [];
  const failing = withoutMissing(problems, examination);
  const works = examination.works.filter(({ file }) => !problems.some((problem) => problem.file === file));
  const refused = report.refused;
  const verdict = refused.length > 0 ? "is refused" : failing.length > 0 ? "runs in part" : examination.verdict;
  // problems of the files are found when the project is opened
  const unused = [
    ...unusedSettings(root, loadEnvironment(root, environment), new ProjectReport()),
    ...unusedPlugins(root, environment),
  ];
  return { ...examination, works, verdict, refused, warnings, unused, unreadable, failing };
}

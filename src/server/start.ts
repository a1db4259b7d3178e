/** Opens a project, loads its content files, and starts its code. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { offersProviders } from "../engine/access/stored-auth.ts";
import type { Storage } from "../engine/storage/storage.ts";
import type { ProjectReport } from "../lib/errors.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import type { ContentByName } from "../transfer/content/earlier/lists.ts";
import type { LoadedContent } from "../transfer/content/earlier/load.ts";
import { type FoundCode, findCode, replacedByUid, startCode } from "./code.ts";
import { openProject, type Project, type ProjectOptions, type ReusedParts } from "./project/project.ts";
import { readModel, readSource } from "./project/project-source.ts";

export interface StartOptions extends ProjectOptions {
  /** Archive to serve in memory instead of a project. */
  readonly archive?: ArchiveSource | undefined;
  /** Entries to load instead of the project's content files. */
  readonly content?: ContentByName | undefined;
  /** Whether `content/` is only loaded into an empty database, and not kept equal to it. */
  readonly ignoresContentChanges?: boolean;
  /** Whether the first start ignores own code that fails, and reports it. Otherwise, and with each reload, it is an error. */
  readonly skipsFailingCode?: boolean;
  /** Whether there is a `strapi` in a project without own code, too; false by default. */
  readonly needsStrapi?: boolean;
}

export interface StartedProject {
  readonly project: Project;
  /** Counts of the content files that this start loaded; undefined if the database was not empty. */
  readonly content: LoadedContent | undefined;
}

/**
 * Opens a project, loads its content files if its database is empty, and starts its code. Rejects with a ProjectError; the
 * project is closed then.
 */
export async function startProject(root: string, options: StartOptions): Promise<StartedProject> {
  if (options.archive) {
    const { openArchive } = require("./archive.ts") as typeof import("./archive.ts");
    return { project: await openArchive(options.archive, { ...options, memory: true }), content: undefined };
  }
  const { project, start } = await openWithCode(root, options);
  try {
    // loaded lazily: most starts have no content to load
    const hasContent = options.content !== undefined || existsSync(join(root, "content"));
    if (options.prepared || !hasContent || hasServedFiles(project, options))
      return { project: await start(), content: undefined };
    const { loadContent } = require("./load-content.ts") as typeof import("./load-content.ts");
    const content = await loadContent(project, options);
    return { project: await start(), content };
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** Whether the content files are those that were served last, as at most starts. */
function hasServedFiles({ root, context }: Project, { content }: StartOptions): boolean {
  if (content) return false;
  const { isCurrent } = require("./content-sync/is-current.ts") as typeof import("./content-sync/is-current.ts");
  return isCurrent(join(root, "content"), context);
}

interface OpenedProject {
  readonly project: Project;
  readonly start: () => Promise<Project>;
}

/** Opens a project; `start` runs its code, if it has any. Rejects with a ProjectError. `replaced`: of the code that serves until then. */
export async function openWithCode(
  root: string,
  options: StartOptions,
  reused?: ReusedParts,
  replaced?: FoundCode["bundle"]["handles"],
): Promise<OpenedProject> {
  // login providers are part of `strapi`; a database in memory has none that are stored
  const needsProviders = (storage: Storage): boolean => !options.memory && offersProviders(storage);
  const code = await findCode(
    root,
    options.environment,
    !reused && options.skipsFailingCode === true,
    options.needsStrapi || (reused && needsProviders(reused.storage)),
    replaced,
  );
  const undo = (error: unknown): never => {
    code?.bundle.handles.undo();
    throw error;
  };
  try {
    // a transaction of the code that is served has the lock until it ends
    if (reused?.transactions) await reused.storage.pin();
    // synchronous from here until the project is open: the application that is served never reads half of the new tables
    reused?.storage.unpin();
    const project = openProject(root, code ? withCode(root, options, code) : options, reused);
    if (code) return { project, start: () => startCode(project, code, options.address ?? (() => "")).catch(undo) };
    if (!reused && needsProviders(project.context.storage)) return await reopenWithCode(project, options);
    return { project, start: async () => project };
  } catch (error) {
    return undo(error);
  }
}

/** Opens a project again, once its database has shown that it needs a `strapi`. */
async function reopenWithCode(project: Project, options: StartOptions): Promise<OpenedProject> {
  const { context, secrets, uploads, changes } = project;
  try {
    await project.idle();
    const { start, ...opened } = await openWithCode(project.root, options, {
      storage: context.storage,
      secrets,
      uploads,
    });
    project.ended.abort();
    return { ...opened, start: async () => ({ ...(await start()), changes }) };
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** As `readModel`, with the schemas of the project's code, which does not run. Rejects with a ProjectError. */
export async function readServedModel(
  root: string,
  environment: ProjectOptions["environment"],
): Promise<ReturnType<typeof readModel>> {
  const code = await findCode(root, environment, true);
  return readModel(root, environment, code && readWithTypesOfCode(root, environment, code));
}

/** Options with the schemas and actions of a project's code. */
export function withCode(root: string, options: ProjectOptions, code: FoundCode): ProjectOptions {
  const { actions, mayAddActions } = code;
  return { ...withTypesOfCode(root, options, code), extraActions: actions, mayAddActions };
}

function withTypesOfCode(root: string, options: ProjectOptions, code: FoundCode): ProjectOptions {
  const source = readWithTypesOfCode(root, options.environment, code);
  return !source || options.prepared || options.source ? options : { ...options, source };
}

/** Reads the project's files with the schemas of its code, which replace those of the same uid; undefined if it has none. */
function readWithTypesOfCode(
  root: string,
  environment: ProjectOptions["environment"],
  { types, components, customFields }: FoundCode,
): ProjectOptions["source"] {
  if (types.length + components.length === 0) return undefined;
  return (report: ProjectReport) => {
    const { settings, schema } = readSource(root, environment, report);
    report.finish();
    const changed = {
      types: replacedByUid(schema.types, types),
      components: replacedByUid(schema.components, components),
      customFields: { ...schema.customFields, ...customFields },
    };
    return { settings, schema: { ...schema, ...changed } };
  };
}

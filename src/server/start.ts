/** What happens between opening a project and serving it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isEmpty } from "../content-files/empty.ts";
import type { GivenContent } from "../content-files/entries.ts";
import type { LoadedContent } from "../content-files/load.ts";
import { ProjectReport } from "../errors.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { type FoundCode, findCode, startCode } from "./code.ts";
import { type Kept, openProject, type Project, type ProjectOptions } from "./project.ts";
import { readSource } from "./project-source.ts";

export interface StartOptions extends ProjectOptions {
  /** Served in memory in the place of a project. */
  readonly archive?: ArchiveSource | undefined;
  /** Entries in the place of those in the project's content files. */
  readonly content?: GivenContent | undefined;
  /** Whether the first start leaves out own code that fails, and reports it. Otherwise, and with each reload, it is an error. */
  readonly leavesOutCode?: boolean;
}

export interface StartedProject {
  readonly project: Project;
  /** The content files that this start loaded; undefined for every start but the first. */
  readonly content: LoadedContent | undefined;
}

/**
 * Opens a project, and loads its content files when its database is empty. Throws a ProjectError; the project is closed
 * then.
 */
export async function startProject(root: string, options: StartOptions): Promise<StartedProject> {
  if (options.archive) {
    const { openArchive } = require("./archive.ts") as typeof import("./archive.ts");
    return { project: await openArchive(options.archive, { ...options, memory: true }), content: undefined };
  }
  const { project, start } = await openWithCode(root, options);
  try {
    // most starts have nothing to load, and need none of the code for it
    const hasContent = options.content !== undefined || existsSync(join(root, "content"));
    const mayLoad = !options.prepared && hasContent && isEmpty(project.context);
    if (!mayLoad) return { project: await start(), content: undefined };
    const { loadContent } = require("./load-content.ts") as typeof import("./load-content.ts");
    const content = await loadContent(project, options);
    return { project: await start(), content };
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** Opens a project; `start` runs its code, if it has any. Throws a ProjectError. */
export async function openWithCode(
  root: string,
  options: StartOptions,
  kept?: Kept,
): Promise<{ readonly project: Project; readonly start: () => Promise<Project> }> {
  const code = await findCode(root, options.environment, !kept && options.leavesOutCode === true);
  if (!code) {
    const project = openProject(root, options, kept);
    return { project, start: async () => project };
  }
  const project = openProject(root, { ...withTypes(root, options, code), codeActions: code.actions }, kept);
  return { project, start: () => startCode(project, code, options.address ?? (() => "")) };
}

/** The project's files with the content-types of its plugins. */
function withTypes(root: string, options: ProjectOptions, { types }: FoundCode): ProjectOptions {
  if (types.length === 0 || options.prepared || options.source) return options;
  const source = () => {
    const report = new ProjectReport();
    const { settings, schema } = readSource(root, options.environment, report);
    report.finish();
    return { settings, schema: { ...schema, types: [...schema.types, ...types] } };
  };
  return { ...options, source };
}

/** What happens between opening a project and serving it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadedContent } from "../content-files/load.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { openProject, type Project, type ProjectOptions } from "./project.ts";

export interface StartOptions extends ProjectOptions {
  /** Served in memory in the place of a project. */
  readonly archive?: ArchiveSource | undefined;
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
    return { project: await openArchive(options.archive, options), content: undefined };
  }
  const project = openProject(root, options);
  try {
    // most starts have nothing to load, and need none of the code for it
    if (options.prepared || !existsSync(join(root, "content"))) return { project, content: undefined };
    const { loadContentFiles } = require("../content-files/load.ts") as typeof import("../content-files/load.ts");
    return { project, content: await loadContentFiles(project) };
  } catch (error) {
    await project.close();
    throw error;
  }
}

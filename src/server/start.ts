/** What happens between opening a project and serving it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadedContent } from "../content-files/load.ts";
import { openProject, type Project, type ProjectOptions } from "./project.ts";

export interface StartedProject {
  readonly project: Project;
  /** The content files that this start loaded; undefined for every start but the first. */
  readonly content: LoadedContent | undefined;
}

/**
 * Opens a project, and loads its content files when its database is empty. Throws a ProjectError; the project is closed
 * then.
 */
export async function startProject(root: string, options: ProjectOptions): Promise<StartedProject> {
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

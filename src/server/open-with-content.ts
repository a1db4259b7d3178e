/** Opens a project for a command that copies its content; loads its content files first if the database is empty. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONTENT_FOLDER } from "../transfer/content/file-paths.ts";
import { openProject, type Project, type ProjectOptions } from "./project/project.ts";

/** Rejects with a ProjectError; the project is closed then. */
export async function openWithContent(
  root: string,
  { environment, announce }: Pick<ProjectOptions, "environment" | "announce">,
): Promise<Project> {
  const project = openProject(root, {
    memory: false,
    publicRead: false,
    environment,
    ...(announce ? { announce } : {}),
  });
  try {
    await project.idle();
    if (existsSync(join(root, CONTENT_FOLDER))) {
      const { loadContent } = require("./load-content.ts") as typeof import("./load-content.ts");
      await loadContent(project, { announce });
    }
    return project;
  } catch (error) {
    await project.close();
    throw error;
  }
}

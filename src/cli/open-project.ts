/** Opens a project for a command that serves nothing. */
import type { Project, ProjectOptions } from "../server/project/project.ts";
import type { CommandCall } from "./command.ts";
import { projectFolder } from "./project-folder.ts";

/** Prints what `work` prints as errors, so that the output is that of the command only. */
export async function withoutOutput<T>(work: () => Promise<T>): Promise<T> {
  const { log, info, debug } = console;
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  try {
    return await work();
  } finally {
    Object.assign(console, { log, info, debug });
  }
}

/**
 * The project has the content-types that its code declares, since its tables must be those of a server that runs at the same
 * time. The code does not run; what fails to load is left out, as by a server. Rejects with a ProjectError.
 */
export async function openForCommand(
  root: string,
  options: Pick<ProjectOptions, "memory" | "environment" | "announce" | "tableCache">,
): Promise<Project> {
  const { openWithCode } = await import("../server/start.ts");
  const all = { ...options, publicRead: false, skipsFailingCode: true };
  return (await withoutOutput(() => openWithCode(root, all))).project;
}

/** The project that an argument of a command names. Throws a UsageError as `projectFolder`. */
export const openNamed = ({ arguments: folders, environment }: CommandCall, index = 0): Promise<Project> =>
  openForCommand(projectFolder(folders[index]), { memory: false, environment });

/** The model and settings of such a project, without a database. Rejects with a ProjectError. */
export async function readForCommand(root: string, environment: ProjectOptions["environment"]) {
  const { readServedModel } = await import("../server/start.ts");
  return withoutOutput(() => readServedModel(root, environment));
}

/** Exports into a project's own `content/`, which is kept equal to its database by synchronisation. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { earlierFormat } from "../../transfer/content/earlier/read.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import type { Project } from "../project/project.ts";
import { ContentFolder } from "./folder.ts";
import { toProjectError } from "./problems.ts";
import { ContentSync } from "./sync.ts";

export function isOwnFolder({ root }: Pick<Project, "root">, folder: string): boolean {
  const own = join(root, CONTENT_FOLDER);
  return existsSync(own) && existsSync(folder) && realpathSync(own) === realpathSync(folder);
}

/** Resolves with the number of written files. Rejects with a ProjectError if the folder has an earlier format, or files that are not valid. */
export async function writeOwnFolder(project: Project): Promise<number> {
  const own = join(project.root, CONTENT_FOLDER);
  if (earlierFormat(own, project.context.model) !== undefined)
    throw new ProjectError(CONTENT_FOLDER, undefined, "has the format of an earlier version: galley content migrate");
  const { problems, written } = await new ContentSync(project, new ContentFolder(own), { writes: true }).run();
  if (problems.length > 0) throw toProjectError(problems);
  return written;
}

/** The problems of a project's code that a start reports, each with its file. */
import { startProject } from "../../src/server/start.ts";
import { projectFolder } from "../project.ts";

export async function startProblems(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { root, remove } = projectFolder(files);
  try {
    const { project } = await startProject(root, { memory: true, publicRead: false, environment: {} });
    await project.close();
    return project.code!.problems.map(({ file, message }) => `${file} ${message}`);
  } finally {
    remove();
  }
}

/** Opens an archive as it is: its schemas are the model. */
import { loadSettings } from "../config/settings.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { surveyArchive } from "../transfer/archive/survey.ts";
import { importArchive } from "../transfer/import/import-archive.ts";
import { rawSchema } from "../transfer/import/raw-schema.ts";
import { openProject, type Project, type ProjectOptions } from "./project.ts";

/**
 * `root` is where the database and the uploads are, unless they are in memory. Throws a ProjectError for what is no archive,
 * or has schemas that cannot be served.
 */
export async function openArchive(
  source: ArchiveSource,
  options: ProjectOptions,
  root: string = source.file,
): Promise<Project> {
  const survey = await surveyArchive(source);
  // below a file, or in an empty folder, there is no configuration: everything is as by default, or as the archive says
  const settings = loadSettings(root, options.environment);
  const project = openProject(root, { ...options, source: () => ({ settings, schema: rawSchema(survey.schemas) }) });
  try {
    await project.idle();
    const { context, uploads } = project;
    await importArchive(source, survey, { context, uploads }, { mode: "replace" });
    return project;
  } catch (error) {
    await project.close();
    throw error;
  }
}

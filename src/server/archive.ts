/** Serves an archive as it is: its schemas are the model, its content is in memory. */
import { loadSettings } from "../config/settings.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { surveyArchive } from "../transfer/archive/survey.ts";
import { importArchive } from "../transfer/import/import-archive.ts";
import { rawSchema } from "../transfer/import/raw-schema.ts";
import { openProject, type Project, type ProjectOptions } from "./project.ts";

/** Throws a ProjectError for what is no archive, or has schemas that cannot be served. */
export async function openArchive(source: ArchiveSource, options: ProjectOptions): Promise<Project> {
  const survey = await surveyArchive(source);
  const project = openProject(source.file, {
    ...options,
    memory: true,
    // below a file there is no configuration: everything is as by default
    source: () => ({ settings: loadSettings(source.file, options.environment), schema: rawSchema(survey.schemas) }),
  });
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

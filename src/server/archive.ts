/** Opens an archive as a project: its schemas become the model. */
import { loadSettings } from "../engine/config/settings.ts";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { surveyArchive } from "../transfer/archive/survey.ts";
import { importArchive } from "../transfer/import/import-archive.ts";
import { rawSchema } from "../transfer/import/raw-schema.ts";
import { openProject, type Project, type ProjectOptions } from "./project/project.ts";

/** Messages about content that is not served. */
const MAX_LINES = 30;

/**
 * `root` holds the database and the uploads, unless they are in memory. Rejects with a ProjectError if `source` is not a valid
 * archive or its schemas cannot be served. `options.source` overrides the archive's schemas.
 */
export async function openArchive(
  source: ArchiveSource,
  options: ProjectOptions,
  root: string = source.file,
): Promise<Project> {
  const survey = await surveyArchive(source);
  // a file's path or an empty folder has no configuration files: defaults and the archive's own settings apply
  const settings = loadSettings(root, options.environment);
  const project = openProject(root, {
    source: () => ({ settings, schema: rawSchema(survey.schemas) }),
    ...options,
  });
  try {
    await project.idle();
    const { context, uploads } = project;
    const { announce = (line) => console.warn(`galley: ${line}`) } = options;
    const { leftOut } = await importArchive(source, survey, { context, uploads }, { mode: "replace" });
    for (const line of leftOut.slice(0, MAX_LINES)) announce(`left out: ${line}`);
    return project;
  } catch (error) {
    await project.close();
    throw error;
  }
}

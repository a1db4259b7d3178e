/** Opens a copy of a project in memory: nothing of it is changed, also if its tables are not those of its schemas yet. */
import { ensureKnownFormat } from "../engine/storage/format.ts";
import { openReadOnly } from "../engine/storage/open-read-only.ts";
import { isThere } from "../lib/is-there.ts";
import type { Project, ProjectOptions } from "../server/project/project.ts";
import { databaseFile } from "../server/project/project-source.ts";
import { openForCommand, withoutOutput } from "./open-project.ts";

function readDatabase(file: string): Uint8Array | undefined {
  if (!isThere(file)) return undefined;
  using database = openReadOnly(file);
  ensureKnownFormat(database, file);
  return database.serialize();
}

function copyOptions(root: string, environment: ProjectOptions["environment"]) {
  const database = readDatabase(databaseFile(root));
  const tableCache = { get: () => database, set: () => {} };
  return { memory: true, environment, announce: console.error, tableCache };
}

/** Rejects with a ProjectError. */
export const openCopy = (root: string, environment: ProjectOptions["environment"]): Promise<Project> =>
  openForCommand(root, copyOptions(root, environment));

interface StartCopyOptions {
  /** As in `ProjectOptions`; false by default. */
  readonly publicRead?: boolean;
  /** The project with the database, if that is another one: its content is served as it is, unless it has none. */
  readonly database?: string;
}

/** The same with the project's own code, which runs. Its output is printed as errors. */
export async function startCopy(
  root: string,
  environment: ProjectOptions["environment"],
  { publicRead = false, database = root }: StartCopyOptions = {},
): Promise<Project> {
  const { startProject } = await import("../server/start.ts");
  const options = {
    ...copyOptions(database, environment),
    publicRead,
    skipsFailingCode: true,
    ignoresContentChanges: database !== root,
  };
  return (await withoutOutput(() => startProject(root, options))).project;
}

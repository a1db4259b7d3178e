/** A copy of a mirror's copy that clients may change. It is made once, and not refreshed: nothing that was written is lost. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contentActions } from "../../engine/access/action-names.ts";
import { contentType } from "../../engine/schema/model.ts";
import { copyDatabase } from "../../engine/storage/copy-database.ts";
import { type App, createApp } from "../app.ts";
import { openProject, type Project } from "../project/project.ts";
import { createModel, databaseFile, dataFolder } from "../project/project-source.ts";
import type { CopyOptions, MirrorCopy } from "./copy.ts";
import { readProject, writeActions } from "./mirrored-project.ts";

export interface LocalCopy extends Pick<App, "handle" | "attachServer" | "trim"> {
  readonly project: Project;
  readonly close: () => Promise<void>;
}

const FOLDER = "written";
const UPLOAD_ACTIONS = ["upload", "destroy"].map((name) => `plugin::upload.content-api.${name}`);

/** Copies the database as it is at one moment, and the files beside it. */
function copyProject(from: string, to: string): void {
  const unfinished = `${to}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dataFolder(unfinished), { recursive: true, mode: 0o700 });
  copyDatabase(databaseFile(from), databaseFile(unfinished));
  for (const name of ["schema.json", "config"]) cpSync(join(from, name), join(unfinished, name), { recursive: true });
  renameSync(unfinished, to);
}

/** Rejects with a ProjectError. */
export async function openLocalCopy(copy: MirrorCopy, options: CopyOptions): Promise<LocalCopy> {
  const folder = join(options.folder, FOLDER);
  const { actions, served } = copy.state!;
  if (!existsSync(folder)) copyProject(copy.folder!, folder);
  const { settings, schema } = readProject(folder, options.environment);
  const model = createModel({ settings, schema });
  const writes = served
    .filter((uid) => model.types.has(uid))
    .flatMap((uid) => contentActions(contentType(model, uid)).map((name) => `${uid}.${name}`));
  writeActions(folder, [...new Set([...actions, ...writes, ...UPLOAD_ACTIONS])], settings.galley.customFields);
  const source = readProject(folder, options.environment);
  const project = openProject(folder, { ...options, memory: false, source: () => source });
  await project.idle();
  project.context.storage.serve();
  const { handle, attachServer, trim } = createApp(project);
  return { project, handle, attachServer, trim, close: () => project.close() };
}

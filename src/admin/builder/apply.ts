/**
 * Writes a changed schema into the project's files and has it served. Files that turn out not to be servable become what
 * they were.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ApiError, ProjectReport } from "../../errors.ts";
import { checkSchema } from "../../schema/check.ts";
import type { AdminServices } from "../services.ts";
import { BuilderError } from "./builder-error.ts";
import type { FileChange, SchemaEdit } from "./schema-edit.ts";

export type ApplyServices = Pick<AdminServices, "root" | "schema" | "settings" | "reload">;

/** Folders of a removed file that are empty by then go with it, up to `src`. */
function removeEmptyFolders(root: string, file: string): void {
  for (let folder = dirname(file); folder.split("/").length > 2; folder = dirname(folder)) {
    const path = join(root, folder);
    if (!existsSync(path) || readdirSync(path).length > 0) return;
    rmdirSync(path);
  }
}

/** Beside the file first, so that nobody reads half of it. */
function writeText(root: string, file: string, text: string | undefined): void {
  const path = join(root, file);
  if (text === undefined) {
    rmSync(path, { force: true });
    removeEmptyFolders(root, file);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${process.pid}-schema.tmp`);
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

const readText = (root: string, file: string): string | undefined => {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

/** Throws a BuilderError for a schema that could not be served; nothing has been written then. */
function check({ settings }: ApplyServices, edit: SchemaEdit): void {
  const report = new ProjectReport();
  checkSchema(edit.result, settings.galley.customFields ?? {}, report);
  if (!report.isRefused) return;
  try {
    report.finish();
  } catch (error) {
    throw new BuilderError(error instanceof Error ? error.message : String(error));
  }
}

/** A type of a plugin is extended in a file of its own. */
function writtenFile(file: string): string {
  const [, plugin, name] = /^<plugin::([a-z-]+)\.([a-z-]+)>$/.exec(file) ?? [];
  return plugin === undefined ? file : `src/extensions/${plugin}/content-types/${name}/schema.json`;
}

const textOf = ({ definition }: FileChange): string | undefined =>
  definition && `${JSON.stringify(definition, undefined, 2)}\n`;

/** Writes what has changed and serves it. Throws a BuilderError; the files are as they were then. */
export async function applyEdit(services: ApplyServices, edit: SchemaEdit): Promise<void> {
  const { root, reload } = services;
  if (!reload)
    throw new ApiError(
      "ApplicationError",
      "Types cannot be changed here: the project is an archive, in memory, or served by several processes",
    );
  check(services, edit);
  const changes = edit.changes.map(({ file, definition }) => ({ file: writtenFile(file), definition }));
  const before = changes.map(({ file }) => [file, readText(root, file)] as const);
  const restore = (): void => {
    for (const [file, text] of before) writeText(root, file, text);
  };
  try {
    for (const change of changes) writeText(root, change.file, textOf(change));
  } catch (error) {
    restore();
    throw error;
  }
  const problem = await reload();
  if (problem === undefined) return;
  restore();
  await reload();
  throw new BuilderError(problem.message);
}

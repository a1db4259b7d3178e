/** `galley export`: writes a project's content into an archive, or into a file for each document. */
import { resolve } from "node:path";
import { openWithContent } from "../../server/open-with-content.ts";
import { ARCHIVE } from "../archive-source.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { withProgress } from "../progress.ts";
import { expectFolderOf, projectFolder, shownPath } from "../project-folder.ts";
import { checkContentTypes, parseSelection, selectionOptions, selectionText } from "../selection-options.ts";
import { leftOutLines } from "./import.ts";

/** The archive's path and password. Throws a UsageError if the name and `--key` disagree about encryption. */
function parseTarget(name: string, key: string | undefined): { file: string; key: string | undefined } {
  const extension = key === undefined ? ".tar.gz" : ".tar.gz.enc";
  const file = resolve(ARCHIVE.test(name) ? name : `${name}${extension}`);
  expectFolderOf(file);
  const isEncrypted = file.endsWith(".enc");
  if (isEncrypted && key === undefined) throw new UsageError(`${name} asks for encryption: --key gives the password`);
  if (!isEncrypted && key !== undefined) throw new UsageError(`an encrypted archive is named ${name}.enc`);
  return { file, key };
}

async function runExport(call: CommandCall): Promise<number> {
  const to = call.text("to");
  if (to !== undefined) return exportToFiles(call, to, call.arguments);
  if (call.text("format") !== "dir") return exportToArchive(call);
  const [name, ...others] = call.arguments;
  if (name === undefined) throw new UsageError("export needs the folder's name: galley export <folder> --format dir");
  return exportToFiles(call, name, others);
}

async function exportToFiles(call: CommandCall, name: string, [folder, extra]: readonly string[]) {
  const { text, print, environment } = call;
  if (extra !== undefined || text("key") !== undefined)
    throw new UsageError("files need neither an archive's name nor a key: galley export --to <folder> [project]");
  const selection = parseSelection(call);
  if (!selection.has("entities") && !selection.has("assets"))
    throw new UsageError(`${selectionText(call)} leaves nothing that files hold: settings are in archives only`);
  const [root, to] = [projectFolder(folder), resolve(name)];
  const { exportFolder } = await import("../../server/content-sync/export-folder.ts");
  const { isOwnFolder, writeOwnFolder } = await import("../../server/content-sync/export-folder.ts");
  const isOwn = isOwnFolder({ root }, to);
  if (isOwn && !selection.isEverything)
    throw new UsageError(`${selectionText(call)}: ${to} is kept equal to all content of its project`);
  await using project = await openWithContent(root, { environment, announce: print });
  checkContentTypes(selection, project.model.types.keys());
  if (isOwn) {
    const changed = await writeOwnFolder(project);
    return call.result({ folder: to, changed }, [
      `${to} has what the database has: ${changed} files written or removed`,
      "galley status shows what git has not committed",
    ]);
  }
  const source = { context: project.context, uploadFolder: project.uploads.path };
  const { documents, media, changed, removed, leftOut } = await withProgress(call, (progress) =>
    exportFolder(source, to, { replacesChanges: call.flag("yes"), selection, progress }),
  );
  return call.result({ folder: to, documents, files: media, changed, removed, leftOut }, [
    `exported ${documents} documents and ${media} media files to ${to}: ${changed} files written, ${removed} removed`,
    ...leftOutLines(leftOut),
    `galley import ${shownPath(to)} reads it`,
  ]);
}

async function exportToArchive(call: CommandCall): Promise<number> {
  const { print, environment } = call;
  const [archive, folder] = call.arguments;
  if (archive === undefined) throw new UsageError("export needs the archive's name: galley export <archive> [project]");
  const root = projectFolder(folder);
  const target = parseTarget(archive, call.text("key"));
  const selection = parseSelection(call);
  const { exportArchive } = await import("../../transfer/export/export-archive.ts");
  await using project = await openWithContent(root, { environment, announce: print });
  const { context, schema, settings, uploads } = project;
  checkContentTypes(selection, context.model.types.keys());
  const source = { context, schema, settings, uploadFolder: uploads.path, selection };
  const { entities, links, assets, leftOut } = await withProgress(call, (progress) =>
    exportArchive({ ...source, progress }, target),
  );
  return call.result({ archive: target.file, rows: entities, links, files: assets, leftOut }, [
    `exported ${entities} rows, ${links} links, ${assets} media files to ${target.file}`,
    ...leftOutLines(leftOut),
    `galley import ${shownPath(target.file)} reads it, and so does strapi import`,
  ]);
}

export const exportCommand: Command = {
  name: "export",
  summary: "Write a project's content into an archive (for strapi import, galley import)",
  usage: "<archive> | --to <folder> [project]",
  options: {
    to: { type: "string", value: "folder", summary: "Write a file for each document instead, for version control" },
    format: { type: "string", value: "format", summary: "tar (default), or dir: as --to", choices: ["tar", "dir"] },
    yes: {
      type: "boolean",
      summary: "With --to: replace files that were changed since they were written",
    },
    json,
    key: { type: "string", value: "password", summary: "Encrypt the archive" },
    ...selectionOptions,
  },
  run: runExport,
};

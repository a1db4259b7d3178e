/** `galley backup` and `galley restore`: everything of a project that is not in its own files, in one file. */
import { join, resolve } from "node:path";
import { loadSettings } from "../../engine/config/settings.ts";
import type { BackupFolders } from "../../server/backup/write-backup.ts";
import { dataFolder } from "../../server/project/project-source.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { confirmed, leaveUnchanged } from "../confirm.ts";
import { withProgress } from "../progress.ts";
import { expectFolderOf, projectFolder, serveHint, shownPath } from "../project-folder.ts";

const EXTENSION = /\.(tar(\.gz)?|tgz)$/;

const findFolders = (root: string, environment: CommandCall["environment"]): BackupFolders => ({
  data: dataFolder(root),
  uploads: resolve(root, loadSettings(root, environment).server.publicFolder, "uploads"),
  content: join(root, CONTENT_FOLDER),
});

function parseFile({ arguments: [name] }: CommandCall, command: string): string {
  if (name === undefined) throw new UsageError(`which file? galley ${command} <file> [project]`);
  return resolve(name);
}

async function runBackup(call: CommandCall): Promise<number> {
  const named = parseFile(call, "backup");
  const root = projectFolder(call.arguments[1]);
  const file = EXTENSION.test(named) ? named : `${named}.tar.gz`;
  expectFolderOf(file);
  const { writeBackup } = await import("../../server/backup/write-backup.ts");
  const { bytes, uploads, contentFiles, createdAt } = await withProgress(call, (progress) =>
    writeBackup(findFolders(root, call.environment), file, { progress }),
  );
  return call.result({ file, bytes, uploads, contentFiles, createdAt }, [
    `the database, the secrets, ${uploads} media files and ${contentFiles} content files are in ${file} (${(bytes / 1e6).toFixed(2)} MB), which was read again; ` +
      "keep it as secret as the content",
    `galley restore ${shownPath(file)} puts it back`,
  ]);
}

async function runRestore(call: CommandCall): Promise<number> {
  const file = parseFile(call, "restore");
  const root = projectFolder(call.arguments[1]);
  const { restoreBackup } = await import("../../server/backup/restore-backup.ts");
  const result = await withProgress(call, (progress, end) => {
    const confirm = (createdAt: string): boolean => {
      end();
      const question = `The content of ${root}, with users, secrets, uploads and content files, will be replaced by what there was at ${createdAt}.`;
      return confirmed(question, call);
    };
    return restoreBackup(findFolders(root, call.environment), file, confirm, progress);
  });
  if (!result) return leaveUnchanged(call);
  const { createdAt, uploads, contentFiles, earlier } = result;
  return call.result(result, [
    `restored what there was at ${createdAt}, with ${uploads} media files and ${contentFiles} content files`,
    ...(earlier === undefined ? [] : [`what was there before is in ${earlier}; remove it when it is not needed`]),
    serveHint(root),
  ]);
}

export const backup: Command = {
  name: "backup",
  summary: "Write content, users, secrets and uploads into one file, also while a server runs",
  usage: "<file> [project]",
  options: { json },
  run: runBackup,
};

export const restore: Command = {
  name: "restore",
  summary: "Replace content, users, secrets and uploads with those of a backup",
  usage: "<file> [project]",
  options: { yes: { type: "boolean", summary: "Do not ask" }, json },
  run: runRestore,
};

/** `galley export`: a project's content as an archive. */
import { resolve } from "node:path";
import { openProject } from "../../server/project.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { checkFolder } from "../project-folder.ts";

const ARCHIVE = /\.(tar(\.gz)?|tgz)(\.enc)?$/;

/** The archive's path and password. Throws a UsageError for an encrypted one without a password, and the other way round. */
function targetOf(name: string, key: string | undefined): { file: string; key: string | undefined } {
  const ending = key === undefined ? ".tar.gz" : ".tar.gz.enc";
  const file = resolve(ARCHIVE.test(name) ? name : `${name}${ending}`);
  const isEncrypted = file.endsWith(".enc");
  if (isEncrypted && key === undefined) throw new UsageError(`${name} asks for encryption: --key gives the password`);
  if (!isEncrypted && key !== undefined) throw new UsageError(`an encrypted archive is named ${name}.enc`);
  return { file, key };
}

async function runExport(call: CommandCall): Promise<number> {
  const { print, environment } = call;
  const [archive, folder = "."] = call.arguments;
  if (archive === undefined) throw new UsageError("export needs the archive's name: galley export <archive> [project]");
  const root = resolve(folder);
  checkFolder(root);
  const target = targetOf(archive, call.text("key"));
  const { exportArchive } = await import("../../transfer/export/export-archive.ts");
  const project = openProject(root, { memory: false, publicRead: false, environment, announce: print });
  try {
    await project.idle();
    const { context, schema, settings, uploads } = project;
    const source = { context, schema, settings, uploadFolder: uploads.path };
    const { entities, links, assets } = await exportArchive(source, target);
    print(`exported ${entities} rows, ${links} links, ${assets} media files to ${target.file}`);
    return 0;
  } finally {
    await project.close();
  }
}

export const exportCommand: Command = {
  name: "export",
  summary: "Write a project's content into an archive (for strapi import, galley import)",
  usage: "<archive> [project]",
  maxArguments: 2,
  options: { key: { type: "string", value: "password", summary: "Encrypt the archive" } },
  run: runExport,
};

/** `galley import`: the content of an archive that `strapi export` or `galley export` wrote. */
import { resolve } from "node:path";
import { loadSchema } from "../../schema/load.ts";
import { openProject } from "../../server/project.ts";
import type { ImportResult } from "../../transfer/import/import-archive.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { progressOn } from "../progress.ts";
import { checkFolder } from "../project-folder.ts";

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

function summary({ entities, assets, links, danglingLinks, unknownTypes, unknownLinks }: ImportResult): string[] {
  const lines = [`imported ${sum(entities)} rows of ${entities.size} types, ${links} links, ${assets} media files`];
  for (const [uid, count] of unknownTypes)
    lines.push(`left out: ${count} rows of ${uid}, which this project does not have`);
  for (const [name, count] of unknownLinks)
    lines.push(`left out: ${count} links of ${name}, which this project does not have`);
  if (danglingLinks > 0) lines.push(`left out: ${danglingLinks} links to rows that the archive does not have`);
  return lines;
}

/** Throws a ProjectError, a UsageError where nobody can be asked, or what stops the import. */
async function runImport(call: CommandCall): Promise<number> {
  const { print, environment } = call;
  const [archive, folder = "."] = call.arguments;
  if (archive === undefined) throw new UsageError("import needs an archive: galley import <archive> [project]");
  const root = resolve(folder);
  const [writesSchemas, merges] = [call.flag("schemas"), call.flag("merge")];
  if (!writesSchemas) checkFolder(root);
  const { surveyArchive } = await import("../../transfer/archive/survey.ts");
  const { importArchive } = await import("../../transfer/import/import-archive.ts");
  const { schemaDifferences, schemaFiles, writeFiles } = await import("../../transfer/import/schema-files.ts");
  const source = { file: resolve(archive), key: call.text("key") };
  const survey = await surveyArchive(source);
  if (!writesSchemas) for (const line of schemaDifferences(survey.schemas, loadSchema(root))) print(line);
  const question = merges
    ? "The archive's documents will replace those that have the same ids."
    : `The archive's content will replace everything in ${root}.`;
  if (!confirmed(question, call.flag("yes"))) {
    print("nothing was changed");
    return 1;
  }
  const restore = writesSchemas ? writeFiles(root, schemaFiles(survey.schemas.values())) : () => {};
  const progress = progressOn(print);
  try {
    const project = openProject(root, { memory: false, publicRead: false, environment, announce: print });
    try {
      await project.idle();
      const { context, uploads } = project;
      const result = await importArchive(
        source,
        survey,
        { context, uploads },
        {
          mode: merges ? "merge" : "replace",
          progress: ({ stage, bytes }) => progress.update(bytes, survey.bytes, stage),
        },
      );
      progress.stop();
      for (const line of summary(result)) print(line);
      return 0;
    } finally {
      await project.close();
    }
  } catch (error) {
    restore();
    throw error;
  } finally {
    progress.stop();
  }
}

export const importCommand: Command = {
  name: "import",
  summary: "Replace a project's content by that of an archive (strapi export, galley export)",
  usage: "<archive> [project]",
  maxArguments: 2,
  options: {
    yes: { type: "boolean", summary: "Do not ask" },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    schemas: { type: "boolean", summary: "Write the archive's schemas as files of the project first" },
    merge: { type: "boolean", summary: "Keep documents that the archive does not have" },
  },
  run: runImport,
};

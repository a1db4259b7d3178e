/** `galley import`: imports an archive of `strapi export` or `galley export`, or a folder of content files. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadSettings } from "../../engine/config/settings.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { createTemporaryFolder, withTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { onInterruption } from "../../lib/interruption.ts";
import { loadProjectSchema, schemaJournal } from "../../server/project/project-source.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import type { ImportOptions as ArchiveOptions, ImportResult } from "../../transfer/import/import-archive.ts";
import { NOTHING_UNREAD, type Unread, unreadBySurvey, unreadReasons } from "../../transfer/import/unread.ts";
import type { Selection } from "../../transfer/selection.ts";
import { type Command, type CommandCall, json, type Options, UsageError } from "../command.ts";
import { confirmed, leaveUnchanged } from "../confirm.ts";
import { openForCommand } from "../open-project.ts";
import { withProgress } from "../progress.ts";
import { findProject, projectFolder, serveHint } from "../project-folder.ts";
import { checkContentTypes, parseSelection, selectionOptions, selectionText } from "../selection-options.ts";

const SETTINGS_FILE = "config/galley.json";

/** Maximum number of lines per list in the output. */
const MAX_LINES = 30;
const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more of these`];

export const leftOutLines = (leftOut: readonly string[]): readonly string[] =>
  firstLines(leftOut.map((line) => `left out: ${line}`));

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

const facts = ({ entities, assets, links, leftOut, kept, notes }: ImportResult) => ({
  rows: Object.fromEntries(entities),
  links,
  files: assets,
  leftOut,
  kept,
  notes,
});

function summary({ entities, assets, links, leftOut, kept, notes }: ImportResult): string[] {
  return [
    `imported ${sum(entities)} rows of ${entities.size} types, ${links} links, ${assets} media files`,
    ...leftOutLines(leftOut),
    ...firstLines(
      kept.map(({ count, unit, name, reason }) => `kept: ${count} ${unit} of ${name}, ${unreadReasons[reason]}`),
    ),
    ...firstLines(notes),
  ];
}

/** Options for what cannot be imported, and what an import would lose. */
export const lossOptions: Options = {
  strict: { type: "boolean", summary: "Change nothing if anything would be left out" },
  "delete-unread": {
    type: "boolean",
    summary: "Also delete content that could not be read or is only here",
  },
};

export interface ImportOptions {
  readonly source: ArchiveSource;
  readonly root: string;
  /** The source's name in the confirmation. */
  readonly name: string;
  readonly selection: Selection;
  /** Overrides `--merge`: keep documents that are not in the archive. */
  readonly merges?: boolean;
  /** What the source could not read; undefined: as its schemas show. */
  readonly unread?: Unread;
  /** Of the source. */
  readonly notes?: readonly string[];
  /** Called at the end of the import's transaction. */
  readonly beforeEnd?: (storage: Storage) => void;
}

/** Rejects with a ProjectError if the token may not read something. */
async function refuseUnread(name: string, unread: Unread): Promise<void> {
  const { strictRefusal } = await import("../../transfer/left-out.ts");
  const refused = [...unread.types, ...unread.attributes].filter(([, reason]) => reason === "refused");
  const lines = refused.map(([uid, reason]) => `${uid}, ${unreadReasons[reason]}`);
  if (lines.length > 0) throw strictRefusal(name, lines);
}

/**
 * Returns the exit code: 1 if content was kept because the token may not read it, so that the copy is incomplete. Rejects with a
 * ProjectError, or with a UsageError without a terminal and `--yes`.
 */
export async function importInto(
  call: CommandCall,
  { source, root, name, selection, merges: mergesAlways, unread, notes = [], beforeEnd }: ImportOptions,
): Promise<number> {
  const { print, environment } = call;
  const [writesSchemas, merges] = [call.flag("schemas"), mergesAlways ?? call.flag("merge")];
  const [isStrict, deletesUnread] = [call.flag("strict"), call.flag("delete-unread")];
  if (isStrict && unread) await refuseUnread(name, unread);
  const { surveyArchive } = await import("../../transfer/archive/survey.ts");
  const { importArchive } = await import("../../transfer/import/import-archive.ts");
  const { schemaDifferences, schemaFiles } = await import("../../transfer/import/schema-files.ts");
  const { recoverSchemaFiles, beginSchemaChange } = await import("../../transfer/import/schema-change.ts");
  const { applyUsers } = await import("../../engine/access/apply.ts");
  const { ADVANCED_KEY, authDifferences, storedAuth } = await import("../../engine/access/stored-auth.ts");
  const survey = await surveyArchive(source);
  const auth = selection.has("configuration") ? storedAuth(survey.settings.get(ADVANCED_KEY)) : undefined;
  recoverSchemaFiles(root, schemaJournal(root));
  const schemas: string[] = [];
  if (writesSchemas) checkContentTypes(selection, survey.schemas.keys());
  else {
    const schema = loadProjectSchema(root);
    checkContentTypes(
      selection,
      schema.types.map(({ uid }) => uid),
    );
    const { customFields } = loadSettings(root, environment).galley;
    schemas.push(...schemaDifferences(survey.schemas, schema, customFields));
    for (const line of firstLines(schemas)) print(line);
  }
  const question = merges
    ? `The documents of ${name} will replace those of ${root} that have the same ids`
    : `The content of ${name} will replace everything in ${root}${deletesUnread ? "" : ", except for what could not be read, and types and attributes that are only here"}`;
  const options = selectionText(call);
  if (!confirmed(`${question}${options && ` (${options})`}.`, call)) return leaveUnchanged(call);
  const files = new Map(writesSchemas ? schemaFiles(survey.schemas.values()) : []);
  // a folder that is not a project yet gets the archive's settings
  if (auth && writesSchemas && !existsSync(join(root, "src/api")) && !existsSync(join(root, SETTINGS_FILE)))
    files.set(SETTINGS_FILE, `${JSON.stringify({ auth }, null, 2)}\n`);
  let change: ReturnType<typeof beginSchemaChange> | undefined;
  // before the first file is written
  const keep = onInterruption(() => change?.interrupt());
  if (files.size > 0) change = beginSchemaChange(root, schemaJournal(root), files);
  try {
    await using project = await openForCommand(root, { memory: false, environment, announce: print });
    await project.idle();
    const { context, uploads } = project;
    const options: ArchiveOptions = {
      mode: merges ? "merge" : "replace",
      unread: deletesUnread ? NOTHING_UNREAD : (unread ?? unreadBySurvey(survey, context.model)),
      selection,
      isStrict,
      beforeEnd: () => {
        change?.commit(context.storage);
        beforeEnd?.(context.storage);
      },
    };
    const result = await withProgress(call, (progress) =>
      importArchive(source, survey, { context, uploads }, { ...options, progress }),
    );
    change?.finish();
    await applyUsers(context, project.settings.galley);
    const differences = auth ? authDifferences(auth, project.settings.auth) : [];
    call.result({ ...facts(result), notes: [...notes, ...result.notes], schemas, settings: differences }, [
      ...summary(result),
      ...differences,
      serveHint(root),
    ]);
    return result.kept.some(({ reason }) => reason === "refused") ? 1 : 0;
  } catch (error) {
    change?.undo();
    throw error;
  } finally {
    keep();
  }
}

/** An unpacked archive is a folder, too. */
const isContentFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  !["metadata.json", "entities"].some((name) => existsSync(join(path, name)));

/** Loads content files into memory, so that nothing changes if they are not valid, and imports them from there. */
async function importFolder(call: CommandCall, folder: string, root: string, name: string): Promise<number> {
  const { archiveOf, copyNamed, unreadByFiles } = await import("../../server/content-sync/archive-of-folder.ts");
  const { loadContent } = await import("../../server/load-content.ts");
  const { environment, print } = call;
  await using loaded = await openForCommand(root, { memory: true, environment, announce: print });
  const project = await openForCommand(root, { memory: false, environment, announce: print });
  copyNamed(project, loaded);
  await project.close();
  await loadContent(loaded, { folder, memory: true, announce: print });
  const others = { root, name, unread: unreadByFiles(loaded.model), selection: parseSelection(call) };
  return await withTemporaryFolder(createTemporaryFolder("import"), async (temporary) =>
    importInto(call, { source: await archiveOf(loaded, temporary), ...others }),
  );
}

async function runImport(call: CommandCall): Promise<number> {
  const [archive, folder] = call.arguments;
  if (archive === undefined) throw new UsageError("import needs an archive: galley import <archive> [project]");
  const file = resolve(archive);
  const isFolder = isContentFolder(file);
  if (isFolder && findProject(file) === file)
    throw new UsageError(
      `${archive} is a project: galley import ${archive}/content reads its files, galley export <archive> ${archive} writes an archive of its database`,
    );
  if (isFolder && call.flag("schemas"))
    throw new UsageError("content files have no schemas: --schemas needs an archive");
  // a project that is to be written may not be there yet
  const root = call.flag("schemas") ? resolve(folder ?? ".") : projectFolder(folder);
  if (isFolder) return importFolder(call, file, root, archive);
  const source = { file, key: call.text("key") };
  return importInto(call, { source, root, name: archive, selection: parseSelection(call) });
}

export const importCommand: Command = {
  name: "import",
  summary:
    "Replace a project's content with that of an archive (strapi export, galley export) or a folder of content files",
  usage: "<archive | folder> [project]",
  options: {
    yes: { type: "boolean", summary: "Do not ask" },
    json,
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    schemas: { type: "boolean", summary: "Write the archive's schemas as files of the project first" },
    merge: { type: "boolean", summary: "Keep documents that the archive does not have" },
    ...lossOptions,
    ...selectionOptions,
  },
  run: runImport,
};

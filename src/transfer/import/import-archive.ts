/**
 * Imports an archive into a database in one transaction. Media files are moved just before it commits, so that a failed or killed
 * import leaves the earlier content.
 */
import { basename } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FileSwap } from "../../engine/media/file-change.ts";
import type { UploadFolder } from "../../engine/media/upload-folder.ts";
import { FILE, FOLDER } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { replacingContent } from "../../engine/storage/change-log/change-log.ts";
import { whileHolding } from "../../engine/storage/lock-holder.ts";
import { dropSearchIndexes } from "../../engine/storage/search-index.ts";
import type { ProjectError } from "../../lib/errors.ts";
import type { Progress } from "../../lib/progress.ts";
import { type ArchiveEntry, type ArchiveSource, readEntries, refusal } from "../archive/entries.ts";
import { readLines } from "../archive/lines.ts";
import { isEntity, isLinkRow } from "../archive/shapes.ts";
import type { Survey } from "../archive/survey.ts";
import { createConfigurationImport } from "../configuration.ts";
import { countName, LeftOut, strictRefusal } from "../left-out.ts";
import { type ComponentIds, EVERYTHING, type Selection } from "../selection.ts";
import { recordedNames, StagedAssets } from "./assets.ts";
import { createEntityWriter, EntityProblem } from "./entities.ts";
import { createContentKeeper } from "./keep.ts";
import { LinkInserter } from "./link-inserter.ts";
import { createLinkWriter } from "./links.ts";
import { dropForeignPermissions, existingRow, mergeDocuments } from "./merge.ts";
import { createImportScope, type ImportMode } from "./scope.ts";
import {
  completeVersions,
  dropLocales,
  duplicateVersion,
  removeDanglingLinks,
  removeRepeatedLinks,
  settleDefaultLocale,
} from "./settle.ts";
import { type Kept, NOTHING_UNREAD, type Unread, withUnselected } from "./unread.ts";

export interface ImportTarget {
  readonly context: DocumentsContext;
  readonly uploads: UploadFolder;
}

export interface ImportOptions {
  readonly mode: ImportMode;
  /** Content of the target that is not removed, since the source could not read it. */
  readonly unread?: Unread;
  /** What is imported; the rest of the target stays as it is. By default everything. */
  readonly selection?: Selection;
  /** Refuse an archive with content that would be left out. */
  readonly isStrict?: boolean;
  /** Called at the end of the transaction; an error rolls it back. */
  readonly beforeEnd?: () => void;
  /** In bytes of the archive. */
  readonly progress?: Progress;
}

export interface ImportResult {
  /** Rows by content-type uid. */
  readonly entities: ReadonlyMap<string, number>;
  readonly assets: number;
  readonly links: number;
  /** Messages about content that was left out, by type and field. */
  readonly leftOut: readonly string[];
  /** Content that was not replaced. */
  readonly kept: readonly Kept[];
  /** Other messages about the content. */
  readonly notes: readonly string[];
}

function createImporter(source: ArchiveSource, target: ImportTarget, options: ImportOptions) {
  /** Ids in the archive. */
  const components: ComponentIds = new Map();
  const counts = new Map<string, number>();
  const leftOut = new LeftOut();
  let bytes = 0;
  let total = 0;
  const refuse = (problem: string): ProjectError => refusal(source.file, problem);
  const entity = (value: unknown, location: string): void => {
    if (!isEntity(value)) throw refuse(`${location} is not an entity`);
    // administrators and their tokens are not imported: they belong to one server
    if (value.type.startsWith("admin::") || !selection.hasType(value.type)) return;
    const type = target.context.model.types.get(value.type);
    if (!type) return leftOut.add("rows", value.type);
    countName(counts, value.type);
    if (value.type === FILE) leftOut.addMediaRecord(value.data);
    scope.clearGroup(value.type);
    if (options.mode === "merge" || (keeper.isNeeded && keeper.keepsType(value.type))) {
      const existing = existingRow(target.context, type, value);
      if (existing !== undefined) return scope.setAlias(type, value.id, existing);
    }
    try {
      entities.write(type, value);
    } catch (error) {
      throw error instanceof EntityProblem
        ? Object.assign(refuse(`${location}: ${error.message}`), { cause: error })
        : error;
    }
  };
  const link = (value: unknown, location: string): void => {
    if (!isLinkRow(value)) throw refuse(`${location} is not a link`);
    if (value.left.type.startsWith("admin::") || !selection.hasLink(value, components)) return;
    links.write(value);
  };
  const setting = (value: unknown): void => configuration.add(value);
  const { context, uploads } = target;
  const { selection = EVERYTHING, unread = NOTHING_UNREAD } = options;
  const keeper = createContentKeeper(context, withUnselected(unread, selection, context.model));
  const scope = createImportScope(context.storage, context.model, keeper.isNeeded ? "merge" : options.mode);
  const configuration = createConfigurationImport({
    storage: context.storage,
    merges: options.mode === "merge",
    folderId: (id) => scope.findId(contentType(context.model, FOLDER), id),
    keepsFolders: !selection.hasType(FOLDER),
  });
  const inserter = new LinkInserter(context.storage);
  const entities = createEntityWriter(context, scope, inserter, {
    defaultLocale: context.defaultLocale(),
    now: context.clock.writeTime(),
    makeDocumentId: context.ids.documentId,
    leftOut,
    components: selection.filtersTypes ? components : undefined,
  });
  const links = createLinkWriter(context, scope, inserter, leftOut);
  const assets = new StagedAssets(uploads);

  async function run({ isOrdered, bytes }: Survey): Promise<ImportResult> {
    total = bytes;
    scope.clearContent();
    // links refer to rows, so that an archive with links first is read twice
    await read(({ parsedPath }) => isOrdered || parsedPath.kind !== "rows" || parsedPath.stage !== "links");
    entities.finish();
    if (!isOrdered) await read(({ parsedPath }) => parsedPath.kind === "rows" && parsedPath.stage === "links");
    inserter.flush();
    return settle();
  }

  async function read(isIncluded: (entry: ArchiveEntry) => boolean): Promise<void> {
    for await (const entry of readEntries(source)) {
      if (!isIncluded(entry)) continue;
      await takeEntry(entry);
      bytes += entry.size;
    }
  }

  async function takeEntry(entry: ArchiveEntry): Promise<void> {
    const { parsedPath } = entry;
    if (parsedPath.kind === "asset" && selection.has("assets")) {
      options.progress?.("of the media files", bytes, total);
      await assets.add(parsedPath.name, entry.content);
    } else if (parsedPath.kind === "rows" && parsedPath.stage !== "schemas" && selection.has(parsedPath.stage))
      await rows(entry, parsedPath.stage);
  }

  async function rows(entry: ArchiveEntry, stage: "entities" | "links" | "configuration"): Promise<void> {
    if (stage === "links") entities.finish();
    const read = { entities: entity, links: link, configuration: setting }[stage];
    let rows = 0;
    for await (const { value, location } of readLines(entry.path, entry.content, refuse)) {
      read(value, location);
      if (++rows % 1000 === 0) options.progress?.(`of the ${stage}`, bytes, total);
    }
  }

  function settle(): ImportResult {
    const links = selection.has("entities") ? settleContent() : 0;
    configuration.finish();
    settleDefaultLocale(target.context);
    return {
      entities: counts,
      assets: assets.files.size,
      links,
      leftOut: leftOut.lines(),
      kept: options.mode === "merge" ? [] : keeper.kept(),
      notes: configuration.notes,
    };
  }

  /** Returns the number of imported links. */
  function settleContent(): number {
    const { context } = target;
    const { storage, model } = context;
    const danglingLinks = removeDanglingLinks(context);
    leftOut.add("danglingLinks", "", danglingLinks + links.missing);
    const repeatedLinks = removeRepeatedLinks(context);
    leftOut.add("repeatedLinks", "", repeatedLinks);
    const merges = options.mode === "merge";
    if (merges) dropForeignPermissions(context, scope);
    if (scope.mode === "merge") mergeDocuments(context, scope, { keeper, renumbers: merges });
    links.localizations.apply(storage, model, scope);
    if (scope.mode === "merge" && !merges) keeper.removeReplaced(scope, new Set(counts.keys()));
    dropLocales(context);
    for (const type of model.types.values()) {
      const documentId = duplicateVersion(storage, type);
      if (documentId !== undefined)
        throw refuse(`has two rows for one version of the document ${documentId} of ${type.uid}`);
    }
    completeVersions(context);
    return inserter.written - danglingLinks - repeatedLinks;
  }

  return { assets, run };
}

/**
 * No other code may use the target's connection. Rejects with a ProjectError if the archive cannot be imported. Then, and if the
 * process is killed, content and files are unchanged.
 */
export async function importArchive(
  source: ArchiveSource,
  survey: Survey,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportResult> {
  const { storage } = target.context;
  const { uploads } = target;
  const { selection = EVERYTHING } = options;
  const importer = createImporter(source, target, options);
  let swap: FileSwap | undefined;
  try {
    const run = async () => {
      if (options.mode === "replace") dropSearchIndexes(storage);
      const read = () => importer.run(survey);
      const done = await (options.mode === "replace" ? replacingContent(storage, read) : read());
      if (options.isStrict && done.leftOut.length > 0) throw strictRefusal(basename(source.file), done.leftOut);
      options.beforeEnd?.();
      if (survey.assets > 0 && selection.has("assets")) {
        const put = importer.assets.files;
        const used = options.mode === "replace" ? recordedNames(target.context) : undefined;
        const drop = used ? uploads.list().filter((name) => !put.has(name) && !used.has(name)) : [];
        swap = new FileSwap(uploads, storage, { put, drop });
        swap.apply();
      }
      return done;
    };
    const result = await storage.exclusive(() => whileHolding(storage, "imports content", run));
    swap?.finish();
    return result;
  } catch (error) {
    swap?.undo();
    importer.assets.discard();
    throw error;
  }
}

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
import { ConfigurationImport } from "../configuration.ts";
import { countName, LeftOut, strictRefusal } from "../left-out.ts";
import { type ComponentIds, EVERYTHING, type Selection } from "../selection.ts";
import { recordedNames, StagedAssets } from "./assets.ts";
import { EntityProblem, EntityWriter } from "./entities.ts";
import { ContentKeeper } from "./keep.ts";
import { LinkInserter } from "./link-inserter.ts";
import { LinkWriter } from "./links.ts";
import { dropForeignPermissions, existingRow, mergeDocuments } from "./merge.ts";
import { type ImportMode, ImportScope } from "./scope.ts";
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

class Importer {
  readonly #source: ArchiveSource;
  readonly #target: ImportTarget;
  readonly #options: ImportOptions;
  readonly #selection: Selection;
  /** Ids in the archive. */
  readonly #components: ComponentIds = new Map();
  readonly #keeper: ContentKeeper;
  readonly #scope: ImportScope;
  readonly #inserter: LinkInserter;
  readonly #entities: EntityWriter;
  readonly #links: LinkWriter;
  readonly assets: StagedAssets;
  readonly #counts = new Map<string, number>();
  readonly #leftOut = new LeftOut();
  readonly #configuration: ConfigurationImport;
  #bytes = 0;
  #total = 0;

  constructor(source: ArchiveSource, target: ImportTarget, options: ImportOptions) {
    const { context, uploads } = target;
    this.#source = source;
    this.#target = target;
    this.#options = options;
    const { selection = EVERYTHING, unread = NOTHING_UNREAD } = options;
    this.#selection = selection;
    this.#keeper = new ContentKeeper(context, withUnselected(unread, selection, context.model));
    // with content to keep, earlier rows are removed at the end
    this.#scope = new ImportScope(context.storage, context.model, this.#keeper.isNeeded ? "merge" : options.mode);
    this.#configuration = new ConfigurationImport({
      storage: context.storage,
      merges: options.mode === "merge",
      folderId: (id) => this.#scope.findId(contentType(context.model, FOLDER), id),
      keepsFolders: !selection.hasType(FOLDER),
    });
    this.#inserter = new LinkInserter(context.storage);
    this.#entities = new EntityWriter(context, this.#scope, this.#inserter, {
      defaultLocale: context.defaultLocale(),
      now: context.clock.writeTime(),
      makeDocumentId: context.ids.documentId,
      leftOut: this.#leftOut,
      components: selection.filtersTypes ? this.#components : undefined,
    });
    this.#links = new LinkWriter(context, this.#scope, this.#inserter, this.#leftOut);
    this.assets = new StagedAssets(uploads);
  }

  readonly #refuse = (problem: string): ProjectError => refusal(this.#source.file, problem);

  async run({ isOrdered, bytes }: Survey): Promise<ImportResult> {
    this.#total = bytes;
    this.#scope.clearContent();
    // links refer to rows, so that an archive with links first is read twice
    await this.#read(({ parsedPath }) => isOrdered || parsedPath.kind !== "rows" || parsedPath.stage !== "links");
    this.#entities.finish();
    if (!isOrdered) await this.#read(({ parsedPath }) => parsedPath.kind === "rows" && parsedPath.stage === "links");
    this.#inserter.flush();
    return this.#settle();
  }

  async #read(isIncluded: (entry: ArchiveEntry) => boolean): Promise<void> {
    for await (const entry of readEntries(this.#source)) {
      if (!isIncluded(entry)) continue;
      await this.#entry(entry);
      this.#bytes += entry.size;
    }
  }

  async #entry(entry: ArchiveEntry): Promise<void> {
    const { parsedPath } = entry;
    if (parsedPath.kind === "asset" && this.#selection.has("assets")) {
      this.#options.progress?.("of the media files", this.#bytes, this.#total);
      await this.assets.add(parsedPath.name, entry.content);
    } else if (parsedPath.kind === "rows" && parsedPath.stage !== "schemas" && this.#selection.has(parsedPath.stage))
      await this.#rows(entry, parsedPath.stage);
  }

  async #rows(entry: ArchiveEntry, stage: "entities" | "links" | "configuration"): Promise<void> {
    if (stage === "links") this.#entities.finish();
    const read = { entities: this.#entity, links: this.#link, configuration: this.#setting }[stage];
    let rows = 0;
    for await (const { value, location } of readLines(entry.path, entry.content, this.#refuse)) {
      read(value, location);
      if (++rows % 1000 === 0) this.#options.progress?.(`of the ${stage}`, this.#bytes, this.#total);
    }
  }

  readonly #entity = (value: unknown, location: string): void => {
    if (!isEntity(value)) throw this.#refuse(`${location} is not an entity`);
    // administrators and their tokens are not imported: they belong to one server
    if (value.type.startsWith("admin::") || !this.#selection.hasType(value.type)) return;
    const type = this.#target.context.model.types.get(value.type);
    if (!type) return this.#leftOut.add("rows", value.type);
    countName(this.#counts, value.type);
    if (value.type === FILE) this.#leftOut.addMediaRecord(value.data);
    this.#scope.clearGroup(value.type);
    if (this.#options.mode === "merge" || (this.#keeper.isNeeded && this.#keeper.keepsType(value.type))) {
      const existing = existingRow(this.#target.context, type, value);
      if (existing !== undefined) return this.#scope.setAlias(type, value.id, existing);
    }
    try {
      this.#entities.write(type, value);
    } catch (error) {
      throw error instanceof EntityProblem
        ? Object.assign(this.#refuse(`${location}: ${error.message}`), { cause: error })
        : error;
    }
  };

  readonly #link = (value: unknown, location: string): void => {
    if (!isLinkRow(value)) throw this.#refuse(`${location} is not a link`);
    if (value.left.type.startsWith("admin::") || !this.#selection.hasLink(value, this.#components)) return;
    this.#links.write(value);
  };

  readonly #setting = (value: unknown): void => this.#configuration.add(value);

  #settle(): ImportResult {
    const links = this.#selection.has("entities") ? this.#settleContent() : 0;
    this.#configuration.finish();
    settleDefaultLocale(this.#target.context);
    return {
      entities: this.#counts,
      assets: this.assets.files.size,
      links,
      leftOut: this.#leftOut.lines(),
      kept: this.#options.mode === "merge" ? [] : this.#keeper.kept(),
      notes: this.#configuration.notes,
    };
  }

  /** Returns the number of imported links. */
  #settleContent(): number {
    const { context } = this.#target;
    const { storage, model } = context;
    const danglingLinks = removeDanglingLinks(context);
    this.#leftOut.add("danglingLinks", "", danglingLinks + this.#links.missing);
    const repeatedLinks = removeRepeatedLinks(context);
    this.#leftOut.add("repeatedLinks", "", repeatedLinks);
    const merges = this.#options.mode === "merge";
    if (merges) dropForeignPermissions(context, this.#scope);
    if (this.#scope.mode === "merge") mergeDocuments(context, this.#scope, { keeper: this.#keeper, renumbers: merges });
    this.#links.localizations.apply(storage, model, this.#scope);
    if (this.#scope.mode === "merge" && !merges) this.#keeper.removeReplaced(this.#scope, new Set(this.#counts.keys()));
    dropLocales(context);
    for (const type of model.types.values()) {
      const documentId = duplicateVersion(storage, type);
      if (documentId !== undefined)
        throw this.#refuse(`has two rows for one version of the document ${documentId} of ${type.uid}`);
    }
    completeVersions(context);
    return this.#inserter.written - danglingLinks - repeatedLinks;
  }
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
  const importer = new Importer(source, target, options);
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

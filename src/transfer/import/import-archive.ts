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
import { isEntity, isLinkRow, type LinkRow } from "../archive/shapes.ts";
import type { Survey } from "../archive/survey.ts";
import { createConfigurationImport } from "../configuration.ts";
import { countName, LeftOut, strictRefusal } from "../left-out.ts";
import { type ComponentIds, EVERYTHING, type Selection } from "../selection.ts";
import { describeMissing, recordedNames, StagedAssets } from "./assets.ts";
import { EntityProblem, EntityWriter, KEYS_WITHOUT_ATTRIBUTE } from "./entities.ts";
import { ContentKeeper } from "./keep.ts";
import { LinkInserter } from "./link-inserter.ts";
import { LinkWriter } from "./links.ts";
import { dropForeignPermissions, existingRow, mergeDocuments, removeReplaced } from "./merge.ts";
import { type ImportMode, ImportScope, type ImportWork } from "./scope.ts";
import {
  completeVersions,
  dropLocales,
  hideDrafts,
  removeDanglingLinks,
  removeRepeatedLinks,
  removeRepeatedVersions,
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

const isAdminType = (uid: string): boolean => uid.startsWith("admin::");

/** Also links to the administrators that wrote a row, which older servers send. */
const isOfAdministrators = ({ left, right }: LinkRow): boolean =>
  isAdminType(left.type) || (isAdminType(right.type) && KEYS_WITHOUT_ATTRIBUTE.has(left.field ?? ""));

class Importer {
  readonly #source: ArchiveSource;
  readonly #options: ImportOptions;
  readonly #selection: Selection;
  readonly #keeper: ContentKeeper;
  readonly #work: ImportWork;
  readonly #entities: EntityWriter;
  readonly #links: LinkWriter;
  readonly #configuration: ReturnType<typeof createConfigurationImport>;
  readonly assets: StagedAssets;
  /** Ids in the archive. */
  readonly #components: ComponentIds = new Map();
  readonly #counts = new Map<string, number>();
  #bytes = 0;
  #total = 0;

  constructor(source: ArchiveSource, { context, uploads }: ImportTarget, options: ImportOptions) {
    const { selection = EVERYTHING, unread = NOTHING_UNREAD } = options;
    const { storage, model } = context;
    this.#source = source;
    this.#options = options;
    this.#selection = selection;
    this.#keeper = new ContentKeeper(context, withUnselected(unread, selection, model));
    const scope = new ImportScope(storage, model, this.#keeper.isNeeded ? "merge" : options.mode);
    this.#work = { context, scope, inserter: new LinkInserter(storage), leftOut: new LeftOut() };
    this.#entities = new EntityWriter(this.#work, selection.filtersTypes ? this.#components : undefined);
    this.#links = new LinkWriter(this.#work);
    this.#configuration = createConfigurationImport({
      storage,
      merges: options.mode === "merge",
      folderId: (id) => scope.findId(contentType(model, FOLDER), id),
      keepsFolders: !selection.hasType(FOLDER),
    });
    this.assets = new StagedAssets(uploads);
  }

  readonly #refuse = (problem: string): ProjectError => refusal(this.#source.file, problem);

  #entity(value: unknown, location: string): void {
    const { context, scope, leftOut } = this.#work;
    if (!isEntity(value)) throw this.#refuse(`${location} is not an entity`);
    // administrators and their tokens are not imported: they belong to one server
    if (isAdminType(value.type) || !this.#selection.hasType(value.type)) return;
    const type = context.model.types.get(value.type);
    if (!type) return leftOut.add("rows", value.type);
    countName(this.#counts, value.type);
    if (value.type === FILE) leftOut.addMediaRecord(value.data);
    scope.clearGroup(value.type);
    if (this.#options.mode === "merge" || (this.#keeper.isNeeded && this.#keeper.keepsType(value.type))) {
      const existing = existingRow(context, type, value);
      if (existing !== undefined) return scope.setAlias(type, value.id, existing);
    }
    try {
      this.#entities.write(type, value);
    } catch (error) {
      throw error instanceof EntityProblem
        ? Object.assign(this.#refuse(`${location}: ${error.message}`), { cause: error })
        : error;
    }
  }

  #link(value: unknown, location: string): void {
    if (!isLinkRow(value)) throw this.#refuse(`${location} is not a link`);
    if (isOfAdministrators(value) || !this.#selection.hasLink(value, this.#components)) return;
    this.#links.write(value);
  }

  async run({ isOrdered, bytes }: Survey): Promise<ImportResult> {
    this.#total = bytes;
    this.#work.scope.clearContent();
    // links refer to rows, so that an archive with links first is read twice
    await this.#read(({ parsedPath }) => isOrdered || parsedPath.kind !== "rows" || parsedPath.stage !== "links");
    this.#entities.finish();
    if (!isOrdered) await this.#read(({ parsedPath }) => parsedPath.kind === "rows" && parsedPath.stage === "links");
    this.#work.inserter.flush();
    return this.#settle();
  }

  async #read(isIncluded: (entry: ArchiveEntry) => boolean): Promise<void> {
    for await (const entry of readEntries(this.#source)) {
      if (!isIncluded(entry)) continue;
      await this.#takeEntry(entry);
      this.#bytes += entry.size;
    }
  }

  async #takeEntry(entry: ArchiveEntry): Promise<void> {
    const { parsedPath } = entry;
    if (parsedPath.kind === "asset" && this.#selection.has("assets")) {
      this.#options.progress?.("of the media files", this.#bytes, this.#total);
      await this.assets.add(parsedPath.name, entry.content);
    } else if (parsedPath.kind === "rows" && parsedPath.stage !== "schemas" && this.#selection.has(parsedPath.stage))
      await this.#rows(entry, parsedPath.stage);
  }

  async #rows(entry: ArchiveEntry, stage: "entities" | "links" | "configuration"): Promise<void> {
    if (stage === "links") this.#entities.finish();
    const read = {
      entities: (value: unknown, location: string) => this.#entity(value, location),
      links: (value: unknown, location: string) => this.#link(value, location),
      configuration: (value: unknown) => this.#configuration.add(value),
    }[stage];
    let rows = 0;
    for await (const { value, location } of readLines(entry.path, entry.content, this.#refuse)) {
      read(value, location);
      if (++rows % 1000 === 0) this.#options.progress?.(`of the ${stage}`, this.#bytes, this.#total);
    }
  }

  #settle(): ImportResult {
    const links = this.#selection.has("entities") ? this.#settleContent() : 0;
    this.#configuration.finish();
    settleDefaultLocale(this.#work.context);
    return {
      entities: this.#counts,
      assets: this.assets.files.size,
      links,
      leftOut: this.#work.leftOut.lines(),
      kept: this.#options.mode === "merge" ? [] : this.#keeper.kept(),
      notes: this.#configuration.notes,
    };
  }

  /** Returns the number of imported links. */
  #settleContent(): number {
    const { context, scope, inserter, leftOut } = this.#work;
    const { storage, model } = context;
    const danglingLinks = removeDanglingLinks(context);
    leftOut.add("danglingLinks", "", danglingLinks + this.#links.missing);
    hideDrafts(context, scope, this.#entities.drafts);
    const merges = this.#options.mode === "merge";
    if (merges) dropForeignPermissions(context, scope);
    if (scope.mode === "merge") mergeDocuments(context, scope, { keeper: this.#keeper, renumbers: merges });
    this.#links.localizations.apply(storage, model, scope);
    if (scope.mode === "merge" && !merges) removeReplaced(context, scope, this.#keeper, new Set(this.#counts.keys()));
    dropLocales(context);
    for (const type of model.types.values())
      leftOut.add("repeatedVersions", type.uid, removeRepeatedVersions(context, type));
    const repeatedLinks = removeRepeatedLinks(context);
    leftOut.add("repeatedLinks", "", repeatedLinks);
    completeVersions(context);
    return inserter.written - danglingLinks - repeatedLinks;
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
      return selection.has("entities")
        ? { ...done, notes: [...done.notes, ...describeMissing(target.context, uploads)] }
        : done;
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

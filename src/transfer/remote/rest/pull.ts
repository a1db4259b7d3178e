/**
 * Copies a running Strapi's documents and media into an archive, over REST with an API token. Content that the token may not read
 * is reported. Users and roles are not copied, since REST does not return passwords.
 */
import { join } from "node:path";
import { localeName } from "../../../engine/access/apply.ts";
import { FILE, LOCALE } from "../../../engine/schema/builtin/index.ts";
import type { RawSchema } from "../../../engine/schema/definition.ts";
import { apiTypes, type ContentType, type Model } from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Progress } from "../../../lib/progress.ts";
import type { Json, LinkRow } from "../../archive/shapes.ts";
import type { ArchiveWriter } from "../../export/archive-writer.ts";
import { schemaRows } from "../../export/schemas.ts";
import type { Unread } from "../../import/unread.ts";
import { EVERYTHING, type Selection } from "../../selection.ts";
import type { RestClient } from "./client.ts";
import { DocumentReader } from "./documents.ts";
import { KeptDocuments } from "./kept-documents.ts";
import type { KeptRows } from "./kept-rows.ts";
import { createLineFile } from "./line-file.ts";
import { RemoteMedia } from "./media.ts";
import { RestProblem, RestRows, type RestVersion } from "./rows.ts";
import { Visibility } from "./visibility.ts";

const DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale";

export interface RestPullOptions {
  readonly client: RestClient;
  readonly model: Model;
  readonly schema: RawSchema;
  /** By default everything. */
  readonly selection?: Selection;
  /** Copy only documents changed after this time; undefined: all. */
  readonly since: Date | undefined;
  /** What earlier pulls have read, which this one brings up to date; not with `since`. */
  readonly kept?: KeptRows;
  /** An existing temporary folder, which the caller removes. */
  readonly temporaryFolder: string;
  readonly progress?: Progress;
}

export interface RestPullResult {
  /** Messages about content that was not copied. */
  readonly notes: readonly string[];
  readonly unread: Unread;
  /** The uids of the project's types that the token may find. */
  readonly foundTypes: readonly string[];
  /** Whether the token may list media files and locales. */
  readonly lists: { readonly files: boolean; readonly locales: boolean };
  /** False if nothing has changed since `kept` was settled: the archive is empty then. */
  readonly isWritten: boolean;
}

const VISIBILITY = "visibility";
const LOCALES = "locales";

class RestPull {
  readonly #writer: ArchiveWriter;
  readonly #options: RestPullOptions;
  /** Locales to read; null: the server's default locale. */
  #locales: (string | null)[] = [null];
  #areLocalesListed = true;
  #total = 0;
  readonly #notes: string[] = [];
  readonly #selection: Selection;
  readonly #visibility: Visibility;
  readonly #documents: DocumentReader;
  readonly #keptDocuments: KeptDocuments | undefined;
  readonly #media: RemoteMedia;
  readonly #links: ReturnType<typeof createLineFile>;
  readonly #orders: ReturnType<typeof createLineFile>;

  constructor(writer: ArchiveWriter, options: RestPullOptions) {
    this.#writer = writer;
    this.#options = options;
    const { client, model, since, temporaryFolder, kept } = options;
    this.#selection = options.selection ?? EVERYTHING;
    this.#visibility = new Visibility(model);
    this.#documents = new DocumentReader(client, this.#visibility, since, (count) =>
      this.#reportProgress("documents", count),
    );
    this.#keptDocuments = kept && new KeptDocuments(this.#documents, kept);
    this.#media = new RemoteMedia(client, since);
    this.#links = createLineFile(join(temporaryFolder, "links.jsonl"));
    this.#orders = createLineFile(join(temporaryFolder, "orders.jsonl"));
  }

  async run(): Promise<RestPullResult> {
    const locales = await this.#readLocales();
    const isWritten = await this.#refreshKept(locales);
    const notes = isWritten ? await this.#write(locales) : [];
    const lists = { files: this.#media.isListed, locales: this.#areLocalesListed };
    return { notes, unread: this.#unread(), foundTypes: this.#visibility.foundTypes(), lists, isWritten };
  }

  /** Resolves with whether anything has changed. */
  async #refreshKept(locales: readonly Json[]): Promise<boolean> {
    const { model, kept } = this.#options;
    if (!kept || !this.#keptDocuments) return true;
    const found = kept.meta(VISIBILITY);
    if (found !== undefined) this.#visibility.restore(found);
    const types = apiTypes(model).filter(({ uid }) => this.#selection.hasType(uid));
    await this.#keptDocuments.refresh(
      types.flatMap((type) => [...this.#readVersions(type, "draft"), ...this.#readVersions(type, "published")]),
    );
    await this.#media.refresh(kept);
    kept.setMeta(LOCALES, JSON.stringify(locales));
    kept.setMeta(VISIBILITY, this.#visibility.save());
    return kept.hasChanged;
  }

  /** Writes the archive. Resolves with messages about content that was not copied. */
  async #write(locales: readonly Json[]): Promise<readonly string[]> {
    const { client, model, schema, since, temporaryFolder } = this.#options;
    const defaultLocale = locales.find(({ isDefault }) => isDefault === true)?.code;
    const rows = new RestRows(model, typeof defaultLocale === "string" ? defaultLocale : "en", {
      link: (row) => this.#isSelected(row) && this.#links.add(row),
      order: (row) => this.#isSelected(row) && this.#orders.add(row),
      file: (record) => this.#media.add(record),
    });
    await this.#writer.rows("schemas", schemaRows(schema, model));
    await this.#writer.rows("entities", this.#entities(rows, locales));
    if (this.#selection.has("assets"))
      await this.#media.copy(this.#writer, temporaryFolder, () => this.#reportProgress("media files"));
    await this.#writer.rows("links", this.#linkRows());
    const hasSettings = this.#selection.has("configuration");
    if (hasSettings && this.#areLocalesListed && typeof defaultLocale === "string" && !since)
      await this.#writer.rows("configuration", [
        { type: "core-store", value: { key: DEFAULT_LOCALE_KEY, value: defaultLocale, type: "string" } },
      ]);
    const createdAt = (client.startedAt ?? new Date()).toISOString();
    await this.#writer.text("metadata.json", JSON.stringify({ createdAt, strapi: { version: "5" } }, null, 2));
    return [
      ...this.#notes,
      ...this.#visibility.notes(),
      "not copied over REST: users, roles, permissions and settings",
      ...this.#media.notes(),
      ...(since ? [`changes since ${since.toISOString()} were copied; deletions are not seen`] : []),
    ];
  }

  #unread(): Unread {
    const { types, attributes } = this.#visibility.unread();
    return {
      types: new Map([
        ...types,
        ...(this.#media.isListed ? [] : [[FILE, "refused"] as const]),
        ...(this.#areLocalesListed ? [] : [[LOCALE, "unanswered"] as const]),
      ]),
      attributes,
    };
  }

  #reportProgress(label: string, count = 1): void {
    this.#total += count;
    this.#options.progress?.(label, this.#total);
  }

  async #readLocales(): Promise<Json[]> {
    const { client, model } = this.#options;
    const { status, body } = await client.get("/i18n/locales");
    if (status === 401) throw client.failure("does not accept the token");
    const found = Array.isArray(body) ? body.filter(isRecord).filter(({ code }) => typeof code === "string") : [];
    if (status !== 200 || found.length === 0) {
      this.#areLocalesListed = false;
      return this.#localesOfDocuments(apiTypes(model).filter(({ localized }) => localized));
    }
    this.#locales = found.map(({ code }) => code as string);
    return found;
  }

  /** The locales of documents, where the token may not list locales. */
  async #localesOfDocuments(types: readonly ContentType[]): Promise<Json[]> {
    let defaultLocale: string | undefined;
    let codes: ReadonlySet<string> = new Set();
    for (const type of types) {
      codes = new Set(await this.#documents.locales(type, codes));
      if (codes.size > 0) defaultLocale ??= await this.#documents.defaultLocale(type);
    }
    if (codes.size === 0) return [];
    this.#locales = [...codes];
    this.#notes.push(
      `not seen: the list of locales; documents were read in those that they have: ${[...codes].join(", ")}`,
    );
    return this.#locales.map((code, index) => ({
      id: index + 1,
      code,
      name: localeName(code as string),
      isDefault: code === defaultLocale,
    }));
  }

  async *#entities(rows: RestRows, locales: readonly Json[]): AsyncGenerator<unknown> {
    if (this.#selection.hasType(LOCALE))
      for (const { id, isDefault: _, ...data } of locales) yield { type: LOCALE, id, data };
    for (const type of apiTypes(this.#options.model).filter(({ uid }) => this.#selection.hasType(uid))) {
      yield* this.#pullType(rows, type);
    }
    if (!this.#selection.hasType(FILE) && !this.#selection.has("assets")) return;
    const records = await this.#media.records();
    if (this.#selection.hasType(FILE)) for (const { id, ...data } of records) yield { type: FILE, id, data };
  }

  /** Links of components come from documents that are read. */
  #isSelected(row: LinkRow): boolean {
    return this.#selection.hasLink(row, undefined);
  }

  #readVersions(type: ContentType, status: RestVersion["status"]): RestVersion[] {
    return (type.localized ? this.#locales : [null]).map((locale) => ({ type, status, locale }));
  }

  async *#pullType(rows: RestRows, type: ContentType): AsyncGenerator<unknown> {
    const drafts = this.#readVersions(type, "draft");
    const published = this.#readVersions(type, "published");
    const versions = [...(type.draftAndPublish ? drafts : []), ...published];
    const kept = this.#keptDocuments;
    const ids = kept ? undefined : await this.#documents.changedIds(type, versions);
    const read = (version: RestVersion) => kept?.rows(version) ?? this.#documents.rows(version, ids);
    for await (const { row, index } of mergedById(versions.map(read))) yield rows.entity(versions[index]!, row);
    if (type.draftAndPublish || this.#visibility.isInaccessible(type)) return;
    // rows of types without drafts link to both versions of a document
    for (const version of drafts) for await (const row of read(version)) rows.entity(version, row, true);
  }

  /** Positions refer to links, so that they come last. */
  async *#linkRows(): AsyncGenerator<unknown> {
    yield* this.#links.rows();
    yield* this.#orders.rows();
  }

  close(): void {
    this.#links.remove();
    this.#orders.remove();
  }
}

/** Merges lists that are sorted by id. That is the order of lists without a sort. */
async function* mergedById(
  streams: readonly AsyncGenerator<Json>[],
): AsyncGenerator<{ readonly row: Json; readonly index: number }> {
  const heads: (Json | undefined)[] = [];
  for (const [index, stream] of streams.entries()) heads[index] = (await stream.next()).value as Json | undefined;
  for (;;) {
    let least: number | undefined;
    for (const [index, head] of heads.entries())
      if (head && (least === undefined || Number(head.id) < Number(heads[least]!.id))) least = index;
    if (least === undefined) return;
    yield { row: heads[least]!, index: least };
    heads[least] = (await streams[least]!.next()).value as Json | undefined;
  }
}

/** Rejects with a ProjectError with the server's URL. The caller finishes the writer. */
export async function pullOverRest(writer: ArchiveWriter, options: RestPullOptions): Promise<RestPullResult> {
  const pull = new RestPull(writer, options);
  try {
    return await pull.run();
  } catch (error) {
    if (error instanceof RestProblem) throw options.client.failure(error.message);
    throw error;
  } finally {
    pull.close();
  }
}

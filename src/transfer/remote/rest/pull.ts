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
import { createDocumentReader } from "./documents.ts";
import { createKeptDocuments, type KeptDocuments } from "./kept-documents.ts";
import type { KeptRows } from "./kept-rows.ts";
import { createLineFile } from "./line-file.ts";
import { RemoteMedia } from "./media.ts";
import { createRestRows, RestProblem, type RestRows, type RestVersion } from "./rows.ts";
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

function createRestPull(writer: ArchiveWriter, options: RestPullOptions) {
  /** Locales to read; null: the server's default locale. */
  let locales: (string | null)[] = [null];
  let areLocalesListed = true;
  let total = 0;
  const notes: string[] = [];
  const { client, model, since, temporaryFolder, kept } = options;
  const selection = options.selection ?? EVERYTHING;
  const visibility = new Visibility(model);
  const documents = createDocumentReader(client, visibility, since, (count) => reportProgress("documents", count));
  const keptDocuments: KeptDocuments | undefined = kept && createKeptDocuments(documents, kept);
  const media = new RemoteMedia(client, since);
  const links = createLineFile(join(temporaryFolder, "links.jsonl"));
  const orders = createLineFile(join(temporaryFolder, "orders.jsonl"));

  async function run(): Promise<RestPullResult> {
    const locales = await readLocales();
    const isWritten = await refreshKept(locales);
    const notes = isWritten ? await write(locales) : [];
    const lists = { files: media.isListed, locales: areLocalesListed };
    return { notes, unread: unread(), foundTypes: visibility.foundTypes(), lists, isWritten };
  }

  /** Resolves with whether anything has changed. */
  async function refreshKept(locales: readonly Json[]): Promise<boolean> {
    const { model, kept } = options;
    if (!kept || !keptDocuments) return true;
    const found = kept.meta(VISIBILITY);
    if (found !== undefined) visibility.restore(found);
    const types = apiTypes(model).filter(({ uid }) => selection.hasType(uid));
    await keptDocuments.refresh(
      types.flatMap((type) => [...readVersions(type, "draft"), ...readVersions(type, "published")]),
    );
    await media.refresh(kept);
    kept.setMeta(LOCALES, JSON.stringify(locales));
    kept.setMeta(VISIBILITY, visibility.save());
    return kept.hasChanged;
  }

  /** Writes the archive. Resolves with messages about content that was not copied. */
  async function write(locales: readonly Json[]): Promise<readonly string[]> {
    const { client, model, schema, since, temporaryFolder } = options;
    const defaultLocale = locales.find(({ isDefault }) => isDefault === true)?.code;
    const rows = createRestRows(model, typeof defaultLocale === "string" ? defaultLocale : "en", {
      link: (row) => isSelected(row) && links.add(row),
      order: (row) => isSelected(row) && orders.add(row),
      file: (record) => media.add(record),
    });
    await writer.rows("schemas", schemaRows(schema, model));
    await writer.rows("entities", entities(rows, locales));
    if (selection.has("assets")) await media.copy(writer, temporaryFolder, () => reportProgress("media files"));
    await writer.rows("links", linkRows());
    const hasSettings = selection.has("configuration");
    if (hasSettings && areLocalesListed && typeof defaultLocale === "string" && !since)
      await writer.rows("configuration", [
        { type: "core-store", value: { key: DEFAULT_LOCALE_KEY, value: defaultLocale, type: "string" } },
      ]);
    const createdAt = (client.startedAt ?? new Date()).toISOString();
    await writer.text("metadata.json", JSON.stringify({ createdAt, strapi: { version: "5" } }, null, 2));
    return [
      ...notes,
      ...visibility.notes(),
      "not copied over REST: users, roles, permissions and settings",
      ...media.notes(),
      ...(since ? [`changes since ${since.toISOString()} were copied; deletions are not seen`] : []),
    ];
  }

  function unread(): Unread {
    const { types, attributes } = visibility.unread();
    return {
      types: new Map([
        ...types,
        ...(media.isListed ? [] : [[FILE, "refused"] as const]),
        ...(areLocalesListed ? [] : [[LOCALE, "unanswered"] as const]),
      ]),
      attributes,
    };
  }

  function reportProgress(label: string, count = 1): void {
    total += count;
    options.progress?.(label, total);
  }

  async function readLocales(): Promise<Json[]> {
    const { client, model } = options;
    const { status, body } = await client.get("/i18n/locales");
    if (status === 401) throw client.failure("does not accept the token");
    const found = Array.isArray(body) ? body.filter(isRecord).filter(({ code }) => typeof code === "string") : [];
    if (status !== 200 || found.length === 0) {
      areLocalesListed = false;
      return localesOfDocuments(apiTypes(model).filter(({ localized }) => localized));
    }
    locales = found.map(({ code }) => code as string);
    return found;
  }

  /** The locales of documents, where the token may not list locales. */
  async function localesOfDocuments(types: readonly ContentType[]): Promise<Json[]> {
    let defaultLocale: string | undefined;
    let codes: ReadonlySet<string> = new Set();
    for (const type of types) {
      codes = new Set(await documents.locales(type, codes));
      if (codes.size > 0) defaultLocale ??= await documents.defaultLocale(type);
    }
    if (codes.size === 0) return [];
    locales = [...codes];
    notes.push(`not seen: the list of locales; documents were read in those that they have: ${[...codes].join(", ")}`);
    return locales.map((code, index) => ({
      id: index + 1,
      code,
      name: localeName(code as string),
      isDefault: code === defaultLocale,
    }));
  }

  async function* entities(rows: RestRows, locales: readonly Json[]): AsyncGenerator<unknown> {
    if (selection.hasType(LOCALE))
      for (const { id, isDefault: _, ...data } of locales) yield { type: LOCALE, id, data };
    for (const type of apiTypes(options.model).filter(({ uid }) => selection.hasType(uid))) {
      yield* pullType(rows, type);
    }
    if (!selection.hasType(FILE) && !selection.has("assets")) return;
    const records = await media.records();
    if (selection.hasType(FILE)) for (const { id, ...data } of records) yield { type: FILE, id, data };
  }

  /** Links of components come from documents that are read. */
  const isSelected = (row: LinkRow): boolean => selection.hasLink(row, undefined);

  const readVersions = (type: ContentType, status: RestVersion["status"]): RestVersion[] =>
    (type.localized ? locales : [null]).map((locale) => ({ type, status, locale }));

  async function* pullType(rows: RestRows, type: ContentType): AsyncGenerator<unknown> {
    const drafts = readVersions(type, "draft");
    const published = readVersions(type, "published");
    const versions = [...(type.draftAndPublish ? drafts : []), ...published];
    const kept = keptDocuments;
    const ids = kept ? undefined : await documents.changedIds(type, versions);
    const read = (version: RestVersion) => kept?.rows(version) ?? documents.rows(version, ids);
    for await (const { row, index } of mergedById(versions.map(read))) yield rows.entity(versions[index]!, row);
    if (type.draftAndPublish || visibility.isInaccessible(type)) return;
    // rows of types without drafts link to both versions of a document
    for (const version of drafts) for await (const row of read(version)) rows.entity(version, row, true);
  }

  /** Positions refer to links, so that they come last. */
  async function* linkRows(): AsyncGenerator<unknown> {
    yield* links.rows();
    yield* orders.rows();
  }

  function close(): void {
    links.remove();
    orders.remove();
  }

  return { run, close };
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
  const pull = createRestPull(writer, options);
  try {
    return await pull.run();
  } catch (error) {
    if (error instanceof RestProblem) throw options.client.failure(error.message);
    throw error;
  } finally {
    pull.close();
  }
}

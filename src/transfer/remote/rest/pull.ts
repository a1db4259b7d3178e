/**
 * A copy of a running Strapi's documents and media as an archive, over REST with an API token. What the token may not see is
 * left out and reported; users and roles stay out, since REST answers no passwords.
 */
import { join } from "node:path";
import { ProjectError } from "../../../errors.ts";
import { isRecord } from "../../../query/key-check.ts";
import { FILE, LOCALE } from "../../../schema/builtin/index.ts";
import type { RawSchema } from "../../../schema/definition.ts";
import { apiTypes, type ContentType, type Model } from "../../../schema/model.ts";
import { isAssetName } from "../../archive/paths.ts";
import { isId, type Json } from "../../archive/shapes.ts";
import type { ArchiveWriter } from "../../export/archive-writer.ts";
import { schemaRows } from "../../export/schemas.ts";
import { assetsOf, type RemoteAsset } from "./assets.ts";
import { type RestAnswer, type RestClient, refusedKey } from "./client.ts";
import { LineFile } from "./line-file.ts";
import { groupsOf, type PopulateTree, pick, populateTree, queryString } from "./populate.ts";
import { RestProblem, RestRows, type RestVersion } from "./rows.ts";

const PAGE = 100;
/** Documents that are read by their ids in one request. */
const CHUNK = 40;
const FILES_AT_ONCE = 4;
/** The largest share of a list's attributes that a server may refuse, before something else must be wrong. */
const MAX_REFUSALS = 200;

export interface RestPullOptions {
  readonly client: RestClient;
  readonly model: Model;
  readonly schema: RawSchema;
  /** Takes over only documents that were changed since; all when undefined. */
  readonly since: Date | undefined;
  /** A folder for what is not in the archive yet; it is there, and the caller's to remove. */
  readonly scratch: string;
  readonly progress?: (stage: string, rows: number) => void;
}

interface Rows {
  readonly data?: unknown;
}

const isRefused = ({ status }: RestAnswer): boolean =>
  status === 401 || status === 403 || status === 404 || status === 405;

const listOf = (body: unknown): Json[] | undefined => {
  const data = isRecord(body) ? (body as Rows).data : undefined;
  return Array.isArray(data) && data.every(isRecord) ? data : undefined;
};

class RestPull {
  readonly #options: RestPullOptions;
  readonly #writer: ArchiveWriter;
  readonly #links: LineFile;
  readonly #orders: LineFile;
  readonly #files = new Map<number, Json>();
  /** "uid.attribute", which the server refuses to show. */
  readonly #hidden = new Set<string>();
  readonly #absent = new Set<string>();
  readonly #withheldTypes = new Set<string>();
  /** Null: the server's default one. */
  #locales: (string | null)[] = [];
  #count = 0;
  #lostFiles = 0;
  #remoteFiles = 0;
  readonly notes: string[] = [];

  constructor(writer: ArchiveWriter, options: RestPullOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#links = new LineFile(join(options.scratch, "links.jsonl"));
    this.#orders = new LineFile(join(options.scratch, "orders.jsonl"));
  }

  #refuse(reason: string): ProjectError {
    return new ProjectError(this.#options.client.root, undefined, reason);
  }

  async run(): Promise<void> {
    const { model, schema, since } = this.#options;
    const locales = await this.#readLocales();
    const byDefault = locales.find(({ isDefault }) => isDefault === true)?.code;
    const rows = new RestRows(model, typeof byDefault === "string" ? byDefault : "en", {
      link: (row) => this.#links.add(row),
      order: (row) => this.#orders.add(row),
      file: (record) => this.#addFile(record),
    });
    await this.#writer.rows("schemas", schemaRows(schema, model));
    await this.#writer.rows("entities", this.#entities(rows, locales));
    await this.#assets();
    await this.#writer.rows("links", this.#linkRows());
    if (typeof byDefault === "string" && !since)
      await this.#writer.rows("configuration", [
        { type: "core-store", value: { key: "plugin_i18n_default_locale", value: byDefault, type: "string" } },
      ]);
    const createdAt = (this.#options.client.startedAt ?? new Date()).toISOString();
    await this.#writer.text("metadata.json", JSON.stringify({ createdAt, strapi: { version: "5" } }, null, 2));
    this.#report();
  }

  async #readLocales(): Promise<Json[]> {
    const { client, model } = this.#options;
    const isLocalized = apiTypes(model).some(({ localized }) => localized);
    const { status, body } = await client.get("/i18n/locales");
    const found = Array.isArray(body) ? body.filter(isRecord).filter(({ code }) => typeof code === "string") : [];
    if (status !== 200 || found.length === 0) {
      if (isLocalized) this.notes.push("not seen: the list of locales; documents are read in the default one alone");
      this.#locales = [null];
      return [];
    }
    this.#locales = found.map(({ code }) => code as string);
    return found;
  }

  async *#entities(rows: RestRows, locales: readonly Json[]): AsyncGenerator<unknown> {
    for (const { id, ...data } of locales) yield { type: LOCALE, id, data };
    for (const type of apiTypes(this.#options.model)) {
      for await (const row of this.#type(rows, type)) {
        this.#options.progress?.("documents", ++this.#count);
        yield row;
      }
    }
    await this.#listFiles();
    const files = [...this.#files.values()].sort((a, b) => Number(a.id) - Number(b.id));
    for (const { id, ...data } of files) yield { type: FILE, id, data };
  }

  #versionsOf(type: ContentType): RestVersion[] {
    const locales = type.localized ? this.#locales : [null];
    const statuses = type.draftAndPublish ? (["draft", "published"] as const) : (["published"] as const);
    return statuses.flatMap((status) => locales.map((locale) => ({ type, status, locale })));
  }

  async *#type(rows: RestRows, type: ContentType): AsyncGenerator<unknown> {
    const ids = await this.#changedIds(type);
    const versions = this.#versionsOf(type);
    const streams = versions.map((version) => this.#version(version, ids));
    for await (const { row, index } of byId(streams)) yield rows.entity(versions[index]!, row);
    if (type.draftAndPublish || this.#withheldTypes.has(type.uid)) return;
    // rows without drafts have links to both versions of a document
    for (const locale of type.localized ? this.#locales : [null]) {
      const version: RestVersion = { type, status: "draft", locale };
      for await (const row of this.#version(version, ids)) rows.entity(version, row, true);
    }
  }

  /** Documents that were changed since; undefined: all are wanted. */
  async #changedIds(type: ContentType): Promise<string[] | undefined> {
    const { since } = this.#options;
    if (!since || type.kind === "singleType") return undefined;
    const ids = new Set<string>();
    const filters = { updatedAt: { $gt: since.toISOString() } };
    for (const version of this.#versionsOf(type))
      for await (const row of this.#pages(version, filters, ["documentId"])) ids.add(String(row.documentId));
    return [...ids];
  }

  async *#version(version: RestVersion, ids: readonly string[] | undefined): AsyncGenerator<Json> {
    if (version.type.kind === "singleType") return yield* this.#single(version);
    if (!ids) return yield* this.#pages(version, {});
    for (let at = 0; at < ids.length; at += CHUNK)
      yield* this.#pages(version, { documentId: { $in: ids.slice(at, at + CHUNK) } });
  }

  #tree(type: ContentType): PopulateTree {
    return populateTree(this.#options.model, type, (name) => this.#hidden.has(name));
  }

  #path({ type, status, locale }: RestVersion, params: object): string {
    const name = type.kind === "singleType" ? type.singularName : type.pluralName;
    return `/${name}?${queryString({ status, ...(locale === null ? {} : { locale }), ...params })}`;
  }

  async *#single(version: RestVersion): AsyncGenerator<Json> {
    const rows: Json[] = [];
    for (const names of groupsOf(this.#tree(version.type))) {
      const answer = await this.#ask(version, {}, names);
      const data = answer && isRecord(answer.body) ? answer.body.data : undefined;
      if (isRecord(data)) rows.push(data);
    }
    const row: Json | undefined = rows.length === 0 ? undefined : Object.assign({}, ...rows);
    const { since } = this.#options;
    if (row && !(since && Date.parse(String(row.updatedAt)) <= since.getTime())) yield row;
  }

  /** By row id, so that documents which are made or removed meanwhile move no page. `fields`: nothing else is read. */
  async *#pages(version: RestVersion, filters: object, fields?: readonly string[]): AsyncGenerator<Json> {
    const groups = fields ? [[]] : groupsOf(this.#tree(version.type));
    for (let last = 0; ; ) {
      const params = {
        filters: { ...filters, id: { $gt: last } },
        sort: "id",
        pagination: { pageSize: PAGE, withCount: false },
        ...(fields ? { fields } : {}),
      };
      const page = new Map<number, Json>();
      for (const [index, names] of groups.entries()) {
        const answer = await this.#ask(version, params, names);
        if (!answer) return;
        // what is there in the first answer counts
        for (const row of this.#listed(answer, version.type, last))
          if (index === 0 || page.has(row.id)) page.set(row.id, { ...page.get(row.id), ...row });
      }
      // servers may allow smaller pages only, so that a short one need not be the last
      if (page.size === 0) return;
      yield* page.values();
      last = Math.max(...page.keys());
    }
  }

  #listed({ body }: RestAnswer, { pluralName }: ContentType, last: number): (Json & { readonly id: number })[] {
    const rows = listOf(body);
    if (!rows?.every((row): row is Json & { id: number } => isId(row.id) && row.id > last))
      throw this.#refuse(`does not list ${pluralName} by id`);
    return rows;
  }

  /** Asks again without what the token may not look at. Undefined for a type that it may not see. */
  async #ask(version: RestVersion, params: object, names: readonly string[]): Promise<RestAnswer | undefined> {
    const { type } = version;
    for (let refusals = 0; refusals < MAX_REFUSALS; refusals++) {
      const populate = pick(this.#tree(type), names);
      const answer = await this.#options.client.get(this.#path(version, { ...params, populate }));
      if (answer.status === 200) {
        this.#findAbsent(type, answer, Object.keys(populate));
        return answer;
      }
      // a single type without content
      if (answer.status === 404 && type.kind === "singleType") return undefined;
      if (isRefused(answer)) {
        this.#withheldTypes.add(type.uid);
        return undefined;
      }
      const key = refusedKey(answer);
      if (key === undefined || !this.#hide(type, key))
        throw this.#refuse(`answers ${answer.status} for ${type.uid}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    }
    throw this.#refuse(`refuses too many attributes of ${type.uid}`);
  }

  /** Servers leave out relations to types that the token may not find. */
  #findAbsent({ uid }: ContentType, { body }: RestAnswer, names: readonly string[]): void {
    const data = isRecord(body) ? body.data : undefined;
    const first = Array.isArray(data) ? data[0] : data;
    if (!isRecord(first)) return;
    for (const name of names) if (!Object.hasOwn(first, name)) this.#absent.add(`${uid}.${name}`);
  }

  /** Hides the attribute that a refused key means. False where there is none. */
  #hide(type: ContentType, key: string): boolean {
    const name = key.split(".").at(-1)!;
    const { model } = this.#options;
    const isRoot = type.attributes.has(name) && !key.includes(".");
    const owners = isRoot ? [type] : [type, ...model.components.values()];
    const names = owners.filter(({ attributes }) => attributes.has(name)).map(({ uid }) => `${uid}.${name}`);
    const fresh = names.filter((found) => !this.#hidden.has(found));
    for (const found of fresh) this.#hidden.add(found);
    return fresh.length > 0;
  }

  #addFile(record: Json): void {
    if (!isId(record.id)) return;
    const { id, related: _, isUrlSigned: __, ...data } = record;
    this.#files.set(record.id, { id, ...data });
  }

  /** Files that nothing uses. Without the right to the media library they stay out. */
  async #listFiles(): Promise<void> {
    const { client, since } = this.#options;
    for (let last = 0; ; ) {
      const newer = since ? { updatedAt: { $gt: since.toISOString() } } : {};
      const query = queryString({ filters: { ...newer, id: { $gt: last } }, sort: "id", limit: PAGE });
      const { status, body } = await client.get(`/upload/files?${query}`);
      if (status !== 200 || !Array.isArray(body)) {
        this.notes.push("not seen: media files that no document uses");
        return;
      }
      const rows = body.filter(isRecord).filter(({ id }) => isId(id) && id > last);
      if (rows.length === 0) return;
      for (const row of rows) this.#addFile(row);
      last = Math.max(...rows.map(({ id }) => id as number));
    }
  }

  async #assets(): Promise<void> {
    const wanted = [...this.#files.values()].flatMap((record) => assetsOf(record));
    const seen = new Set<string>();
    for (let at = 0; at < wanted.length; at += FILES_AT_ONCE) {
      const group = wanted.slice(at, at + FILES_AT_ONCE).filter(({ name }) => !seen.has(name) && seen.add(name));
      await Promise.all(group.map((asset, index) => this.#download(asset, index))).then(async (done) => {
        for (const asset of done) if (asset) await this.#writer.asset(asset);
      });
    }
  }

  async #download({ name, url, metadata }: RemoteAsset, slot: number) {
    // only what the server itself has: other files stay where they are
    if (!url.startsWith("/") || url.startsWith("//")) {
      this.#remoteFiles++;
      return undefined;
    }
    const path = join(this.#options.scratch, `file-${slot}`);
    const done = isAssetName(name) ? await this.#options.client.download(url, path) : undefined;
    if (!done) this.#lostFiles++;
    else this.#options.progress?.("media files", ++this.#count);
    return done && { name, path, size: done.size, metadata };
  }

  /** Positions refer to links, so they come last. */
  async *#linkRows(): AsyncGenerator<unknown> {
    yield* this.#links.rows();
    yield* this.#orders.rows();
  }

  #report(): void {
    const { model, since } = this.#options;
    for (const uid of this.#withheldTypes) this.notes.push(`not seen: ${uid}, which the token may not find`);
    for (const name of new Set([...this.#hidden, ...this.#absent]))
      this.notes.push(`not seen: ${name}, whose targets the token may not find`);
    const schemas = [...apiTypes(model), ...model.components.values()];
    const silent = schemas.flatMap(({ uid, attributes }) =>
      [...attributes.values()]
        .filter((item) => !item.system && (item.private || (item.kind === "scalar" && item.type.secret)))
        .map(({ name }) => `${uid}.${name}`),
    );
    if (silent.length > 0) this.notes.push(`not answered by REST: ${silent.join(", ")} (private, or passwords)`);
    this.notes.push("not copied over REST: users, roles, permissions and settings");
    if (this.#lostFiles > 0) this.notes.push(`not there: ${this.#lostFiles} media files, whose records were copied`);
    if (this.#remoteFiles > 0) this.notes.push(`${this.#remoteFiles} media files stay at the provider that has them`);
    if (since) this.notes.push(`changes since ${since.toISOString()} were copied; deletions are not seen`);
  }

  close(): void {
    this.#links.remove();
    this.#orders.remove();
  }
}

/** The rows of several lists in the order of their ids, which is that of lists without a sort. */
async function* byId(
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

/** Returns what was left out, a line each. Throws a ProjectError with the server's address. The writer is the caller's to finish. */
export async function pullOverRest(writer: ArchiveWriter, options: RestPullOptions): Promise<readonly string[]> {
  const pull = new RestPull(writer, options);
  try {
    await pull.run();
    return pull.notes;
  } catch (error) {
    if (error instanceof RestProblem) throw new ProjectError(options.client.root, undefined, error.message);
    throw error;
  } finally {
    pull.close();
  }
}

/** Collects the records of all media files, and downloads the files. */
import { join } from "node:path";
import { isRecord } from "../../../lib/is-record.ts";
import { isAssetName } from "../../archive/paths.ts";
import { assetMetadata, assetName, isId, type Json } from "../../archive/shapes.ts";
import type { ArchiveWriter } from "../../export/archive-writer.ts";
import type { RestClient } from "./client.ts";
import type { KeptRows } from "./kept-rows.ts";
import { queryString } from "./populate.ts";

interface RemoteAsset {
  readonly name: string;
  readonly url: string;
  readonly metadata: Json;
}

const listAssets = (record: Json): RemoteAsset[] =>
  assetMetadata(record).flatMap((metadata) =>
    typeof metadata.url === "string" && typeof metadata.hash === "string"
      ? [{ name: assetName(metadata), url: metadata.url, metadata }]
      : [],
  );

const PAGE = 100;
/** Files per page of a list of ids. */
const ID_PAGE = 1_000;
/** The list of kept records. */
const KEPT_LIST = "files";
const DOWNLOADS_AT_ONCE = 4;

export class RemoteMedia {
  readonly #client: RestClient;
  readonly #since: Date | undefined;
  readonly #records = new Map<number, Json>();
  /** Whether the token may list media files. */
  isListed = true;
  #kept: KeptRows | undefined;
  #externalCount = 0;

  /** `since`: for files that no document uses, read only records changed after this time. */
  constructor(client: RestClient, since: Date | undefined) {
    this.#client = client;
    this.#since = since;
  }

  /** Adds a record. Throws a ProjectError if a limit is exceeded. */
  add(record: Json): void {
    if (!isId(record.id)) return;
    const { id, related: _, isUrlSigned: __, ...data } = record;
    if (!this.#records.has(record.id)) {
      this.#client.budget.take("files", Math.max(listAssets(record).length, 1));
      this.#client.budget.take("records", JSON.stringify(data).length);
    }
    this.#records.set(record.id, { id, ...data });
  }

  /** Resolves with the records sorted by id. Without permission for the media library, files that no document uses are missing. */
  async records(): Promise<readonly Json[]> {
    // after those of documents, which are as old as the documents
    if (this.#kept) for (const row of this.#kept.rows(KEPT_LIST)) this.add(row);
    else await this.#list();
    return [...this.#records.values()].sort((a, b) => Number(a.id) - Number(b.id));
  }

  async #list(): Promise<void> {
    const newer = this.#since ? { updatedAt: { $gt: this.#since.toISOString() } } : {};
    for await (const row of this.#pages(newer, PAGE)) this.add(row);
  }

  /** Reads the records that have changed; `records` uses them. Files have no counts, so that their ids are listed. */
  async refresh(kept: KeptRows): Promise<void> {
    this.#kept = kept;
    const latest = kept.latest(KEPT_LIST, "updatedAt");
    if (!kept.isComplete(KEPT_LIST)) await kept.replace(KEPT_LIST, this.#pages({}, PAGE));
    else {
      // the latest one again: another may have the same time
      const newer = latest === undefined ? {} : { updatedAt: { $gte: latest } };
      for await (const row of this.#pages(newer, PAGE)) kept.put(KEPT_LIST, row);
      const listed = new Set<string>();
      for await (const row of this.#pages({}, ID_PAGE, ["documentId"])) listed.add(String(row.documentId));
      if (this.isListed) kept.remove(KEPT_LIST, kept.documents(KEPT_LIST).difference(listed));
    }
  }

  async *#pages(filters: object, limit: number, fields?: readonly string[]): AsyncGenerator<Json> {
    for (let last = 0; ; ) {
      const query = queryString({
        filters: { ...filters, id: { $gt: last } },
        sort: "id",
        limit,
        ...(fields ? { fields } : {}),
      });
      const { status, body } = await this.#client.get(`/upload/files?${query}`);
      if (status !== 200 || !Array.isArray(body)) {
        this.isListed = false;
        return;
      }
      const rows = body.filter(isRecord).filter(({ id }) => isId(id) && id > last);
      if (rows.length === 0) return;
      yield* rows;
      last = Math.max(...rows.map(({ id }) => id as number));
    }
  }

  /** Downloads the files of all records into the archive. */
  async copy(writer: ArchiveWriter, temporaryFolder: string, downloaded: () => void): Promise<void> {
    const assetsByName = new Map(
      [...this.#records.values()].flatMap(listAssets).map((asset): [string, RemoteAsset] => [asset.name, asset]),
    );
    const assets = [...assetsByName.values()];
    for (let start = 0; start < assets.length; start += DOWNLOADS_AT_ONCE) {
      const group = assets.slice(start, start + DOWNLOADS_AT_ONCE);
      const done = await Promise.all(
        group.map((asset, slot) => this.#download(asset, join(temporaryFolder, `file-${slot}`))),
      );
      for (const asset of done) {
        if (!asset) continue;
        await writer.asset(asset);
        downloaded();
      }
    }
  }

  async #download({ name, url, metadata }: RemoteAsset, path: string) {
    // only files of the server: those of other providers are not copied
    if (!url.startsWith("/") || url.startsWith("//")) {
      this.#externalCount++;
      return undefined;
    }
    const done = isAssetName(name) ? await this.#client.download(url, path) : undefined;
    return done && { name, path, size: done.size, metadata };
  }

  /** Messages for the command line. */
  notes(): string[] {
    return [
      ...(this.isListed ? [] : ["not seen: media files that no document uses"]),
      ...(this.#externalCount > 0 ? [`${this.#externalCount} media files stay at the provider that has them`] : []),
    ];
  }
}

/** Replaces a running Strapi's content, with the protocol of `strapi transfer --to`. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType, type Model } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Progress } from "../../lib/progress.ts";
import { coreStoreRow } from "../archive/shapes.ts";
import { configurationRows } from "../configuration.ts";
import { type Asset, listAssets } from "../export/assets.ts";
import { EntityReader, exportedTypes } from "../export/entities.ts";
import { type ExportResult, type ExportSource, entityRows, linkRows } from "../export/export-archive.ts";
import { LeftOut, strictRefusal } from "../left-out.ts";
import { type ComponentIds, EVERYTHING, type SelectableStage, type Selection } from "../selection.ts";
import type { RemoteAddress } from "./address.ts";
import { TransferChannel } from "./channel.ts";
import { pullConfiguration } from "./pull.ts";
import { createServerSchemas, parseServerSchemas } from "./server-schemas.ts";

/** The batch size of Strapi's own client. */
const BATCH_ROWS = 100;
const BATCH_BYTES = 1_000_000;
const CHUNK_BYTES = 256 * 1024;
/** The server would delete its own. */
const UNSENT_SETTINGS =
  "the settings, since the token may not pull those that only the server has. A transfer token with both rights sends them";

export interface PushOptions {
  readonly token: string;
  /** Whether to change nothing if anything would be left out. */
  readonly isStrict?: boolean;
  readonly progress?: Progress;
}

async function* assetMessages({ name, path, size, metadata }: Asset): AsyncGenerator<unknown> {
  const assetID = crypto.randomUUID();
  const hash = createHash("sha256");
  yield { action: "start", assetID, data: { filename: name, filepath: name, stats: { size }, metadata } };
  if (size > 0) {
    for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: CHUNK_BYTES })) {
      hash.update(chunk as Buffer);
      yield { action: "stream", assetID, encoding: "base64", data: (chunk as Buffer).toString("base64") };
    }
  }
  yield { action: "end", assetID, checksum: { algorithm: "sha256", value: hash.digest("hex") } };
}

/** Groups rows into batches, limited in number and size. */
async function* batches(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<unknown[]> {
  let batch: unknown[] = [];
  let size = 0;
  for await (const row of rows) {
    batch.push(row);
    size += JSON.stringify(row).length;
    if (batch.length < BATCH_ROWS && size < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

function createPusher(channel: TransferChannel, options: PushOptions, selection: Selection, transferID: unknown) {
  const action = (action: string): Promise<unknown> =>
    channel.request({ type: "transfer", kind: "action", action, transferID });

  /** Sends a stage, if it is selected. Resolves with the number of rows. */
  async function stage(step: SelectableStage, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<number> {
    if (!selection.has(step)) return 0;
    const message = { type: "transfer", kind: "step", step, transferID };
    let count = 0;
    await channel.request({ ...message, action: "start" });
    for await (const data of batches(rows)) {
      await channel.request({ ...message, action: "stream", data });
      count += data.length;
      options.progress?.(step, count);
    }
    await channel.request({ ...message, action: "end" });
    return count;
  }

  return { action, stage };
}

/** Adds local settings to remote ones, which they override. Webhooks of both are kept. */
function mergedConfiguration(remote: readonly unknown[], local: readonly unknown[]): unknown[] {
  const own = new Set(local.map((row) => coreStoreRow(row)?.key));
  return [...remote.filter((row) => !own.has(coreStoreRow(row)?.key)), ...local];
}

/** What the server deletes before the transfer: only what it gets in its place. */
function restoreOptions(selection: Selection, model: Model) {
  const replacesAll = !selection.filtersTypes && selection.has("entities") && selection.has("configuration");
  const uids = exportedTypes(model).map(({ uid }) => uid);
  const hasSettings = selection.has("configuration");
  return {
    // without `include` the server also deletes types that the project does not have, and its settings
    entities: { exclude: [], ...(replacesAll ? {} : { include: uids.filter((uid) => selection.hasType(uid)) }) },
    assets: selection.has("assets"),
    configuration: { webhook: hasSettings, coreStore: hasSettings },
  };
}

/** Replaces the content of the server, which rolls back if the transfer fails. Rejects with a ProjectError. */
export async function pushTo(
  address: RemoteAddress,
  source: ExportSource,
  options: PushOptions,
): Promise<ExportResult> {
  const { context, uploadFolder, selection: selected = EVERYTHING } = source;
  // a transfer deletes the server's settings: those that Galley does not have are sent back unchanged
  const remote = selected.has("configuration") ? await pullConfiguration(address, options.token) : [];
  const selection = remote ? selected : selected.withoutSettings();
  const unsentSettings = remote ? [] : [UNSENT_SETTINGS];
  const channel = await TransferChannel.open(address, "push", options.token);
  let assets = 0;
  const components: ComponentIds = new Map();
  const configuration = mergedConfiguration(remote ?? [], [...configurationRows(context.storage, source.settings)]);
  function* allAssets(leftOut: LeftOut) {
    if (!selection.has("assets")) return;
    for (const file of new EntityReader(context).rows(contentType(context.model, FILE)))
      yield* listAssets(uploadFolder, file, leftOut);
  }
  async function* allAssetMessages(leftOut: LeftOut) {
    for (const asset of allAssets(leftOut)) {
      assets++;
      yield* assetMessages(asset);
    }
  }
  try {
    return await context.storage.snapshotReads(async () => {
      const params = {
        options: { strategy: "restore", restore: restoreOptions(selection, context.model) },
        transfer: "push",
        checksums: true,
        assetEncoding: "base64",
      };
      const started = await channel.request({ type: "command", command: "init", params });
      const transferID = isRecord(started) ? started.transferID : undefined;
      const pusher = createPusher(channel, options, selection, transferID);
      for (const action of ["bootstrap", "getMetadata"]) await pusher.action(action);
      const schemas = parseServerSchemas(address.root, await pusher.action("getSchemas"));
      if (options.isStrict) {
        const losses = new LeftOut(address.root);
        const server = createServerSchemas(schemas, context.model, losses);
        for (const rows of [
          server.entities(entityRows(source, components)),
          allAssets(losses),
          server.links(linkRows(source, components)),
        ])
          for (const _ of rows);
        const lines = [...losses.lines(), ...unsentSettings];
        if (lines.length > 0) throw strictRefusal(address.root, lines);
      }
      const leftOut = new LeftOut(address.root);
      const server = createServerSchemas(schemas, context.model, leftOut);
      // deletes the content of the server
      await pusher.action("beforeTransfer");
      const entities = await pusher.stage("entities", server.entities(entityRows(source, components)));
      await pusher.stage("assets", allAssetMessages(leftOut));
      const links = await pusher.stage("links", server.links(linkRows(source, components)));
      await pusher.stage("configuration", configuration);
      await pusher.action("close");
      await channel.request({ type: "command", command: "end", params: { transferID } });
      return { entities, links, assets, leftOut: [...leftOut.lines(), ...unsentSettings] };
    });
  } finally {
    channel.close();
  }
}

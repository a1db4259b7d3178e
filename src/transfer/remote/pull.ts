/** Copies a running Strapi's content into an archive, with the protocol of `strapi transfer --from`. */
import { createHash, type Hash } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Progress } from "../../lib/progress.ts";
import { assetName, isEntity, isLinkRow, type Json } from "../archive/shapes.ts";
import type { ArchiveWriter } from "../export/archive-writer.ts";
import { EVERYTHING, type SelectableStage, type Selection } from "../selection.ts";
import type { RemoteAddress } from "./address.ts";
import { TransferChannel } from "./channel.ts";
import { ReceiveBudget, type ReceiveLimits } from "./receive-limits.ts";

/** A media file that is being received. */
interface IncomingFile {
  readonly path: string;
  readonly file: number;
  readonly hash: Hash;
  readonly metadata: Json;
  size: number;
}

export interface PullOptions {
  readonly token: string;
  /** By default everything. */
  readonly selection?: Selection;
  /** Temporary folder for media files; it is created, and removed at the end. */
  readonly temporaryFolder: string;
  readonly progress?: Progress;
  readonly limits?: Partial<ReceiveLimits>;
}

/** Maximum number of settings, which are all read into memory. */
const MAX_SETTINGS = 100_000;

/** Servers before 4.11 send rows one by one, and media files without their ends. */
const EARLY_SERVER =
  "sends its content in the form of an early Strapi 4: galley import reads the archive that its strapi export writes";

/** Returns a function that yields the rows that a server sends in a stage. It throws ProjectErrors. */
function createStageReader(channel: TransferChannel, root: string, transferID: unknown, budget: ReceiveBudget) {
  const changeStep = (action: "start" | "end", step: string): Promise<unknown> =>
    channel.request({ type: "transfer", kind: "step", action, step, transferID });

  return async function* readStage(step: string): AsyncGenerator<unknown> {
    const refuse = (reason: string) => new ProjectError(root, undefined, reason);
    await changeStep("start", step);
    for (;;) {
      const frame = await channel.frame();
      const { data } = frame;
      if (!isRecord(data)) throw refuse(`sent a frame without data in ${step}`);
      if (data.error) throw refuse(`failed in ${step}: ${JSON.stringify(data.error).slice(0, 500)}`);
      const rows = data.ended ? [] : data.data;
      if (!Array.isArray(rows)) throw refuse(EARLY_SERVER);
      budget.take("rows", rows.length);
      yield* rows;
      channel.acknowledge(frame);
      if (data.ended) break;
    }
    await changeStep("end", step);
  };
}

/** Media files while the server sends them, several at once. */
function createIncomingFiles(
  folder: string,
  budget: ReceiveBudget,
  refuse: (reason: string) => ProjectError,
  received: (file: Parameters<ArchiveWriter["asset"]>[0]) => Promise<void>,
) {
  const files = new Map<string, IncomingFile>();
  let count = 0;

  async function take(item: unknown): Promise<void> {
    if (!isRecord(item) || typeof item.assetID !== "string") throw refuse("sent something that is not a media file");
    const { action, assetID } = item;
    if (action === "start") return begin(assetID, item.data);
    const incoming = files.get(assetID);
    if (!incoming) throw refuse("sent a part of a media file that it had not announced");
    if (action === "stream") return append(incoming, item);
    if (action === "end") return end(assetID, incoming, item.checksum);
    throw refuse(`sent an unknown action for a media file: ${String(action).slice(0, 50)}`);
  }

  function begin(id: string, data: unknown): void {
    const metadata = isRecord(data) ? data.metadata : undefined;
    if (!isRecord(metadata) || typeof metadata.hash !== "string") throw refuse("sent a media file without metadata");
    if (files.has(id)) throw refuse("sent a media file that it is sending already");
    budget.take("files");
    budget.take("files at once");
    mkdirSync(folder, { recursive: true });
    // names and paths of the server are not used
    const path = join(folder, `${++count}.part`);
    files.set(id, {
      path,
      file: openSync(path, "wx", 0o600),
      hash: createHash("sha256"),
      metadata,
      size: 0,
    });
  }

  function append(incoming: IncomingFile, { data, encoding }: Record<string, unknown>): void {
    const bytes = decodeBytes(data, encoding);
    if (!bytes) throw refuse("sent a part of a media file in an unknown form");
    budget.take("bytes", bytes.length);
    incoming.hash.update(bytes);
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(incoming.file, bytes, offset);
    incoming.size += bytes.length;
  }

  async function end(id: string, { path, file, hash, metadata, size }: IncomingFile, checksum: unknown): Promise<void> {
    closeSync(file);
    files.delete(id);
    budget.release("files at once");
    const name = assetName(metadata);
    if (isRecord(checksum) && checksum.algorithm === "sha256" && checksum.value !== hash.digest("hex"))
      throw refuse(`sent the media file ${name.slice(0, 200)} damaged`);
    await received({ name, path, size, metadata });
  }

  /** Closes incomplete files, and removes the temporary folder. */
  function abandon(): void {
    for (const { file } of files.values()) closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }

  return { take, abandon, size: () => files.size };
}

function createPuller(
  readStage: ReturnType<typeof createStageReader>,
  writer: ArchiveWriter,
  root: string,
  budget: ReceiveBudget,
  options: PullOptions,
) {
  let count = 0;
  const selection = options.selection ?? EVERYTHING;

  const refuse = (reason: string): ProjectError => new ProjectError(root, undefined, reason);
  const incoming = createIncomingFiles(options.temporaryFolder, budget, refuse, async (file) => {
    await writer.asset(file);
    rmSync(file.path, { force: true });
    options.progress?.("assets", ++count);
  });

  async function* countedRows(step: string): AsyncGenerator<unknown> {
    for await (const row of readStage(step)) {
      options.progress?.(step, ++count);
      if (isSelected(row)) yield row;
    }
  }

  /** The import finds out which components belong to selected documents. Other rows are refused there. */
  function isSelected(row: unknown): boolean {
    if (isLinkRow(row)) return selection.hasLink(row, undefined);
    return !isEntity(row) || selection.hasType(row.type);
  }

  async function rows(stage: Exclude<SelectableStage, "assets">): Promise<void> {
    if (selection.has(stage)) await writer.rows(stage, countedRows(stage));
  }

  async function assets(): Promise<void> {
    if (!selection.has("assets")) return;
    for await (const items of readStage("assets"))
      for (const item of Array.isArray(items) ? items : [items]) await incoming.take(item);
    if (incoming.size() > 0) throw refuse("ended before all media files were sent");
  }

  return { rows, assets, abandon: incoming.abandon };
}

/** Decodes a chunk. Older servers send the JSON form of a Node.js buffer. */
function decodeBytes(data: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof data === "string" && encoding === "base64") return Buffer.from(data, "base64");
  if (isRecord(data) && data.type === "Buffer" && Array.isArray(data.data)) return Buffer.from(data.data as number[]);
  return undefined;
}

/** Reads the settings of a server and its plugins, as rows of an archive. Undefined if the token may not pull. */
export async function pullConfiguration(address: RemoteAddress, token: string): Promise<unknown[] | undefined> {
  let channel: TransferChannel;
  try {
    channel = await TransferChannel.open(address, "pull", token);
  } catch (error) {
    if (error instanceof ProjectError) return undefined;
    throw error;
  }
  try {
    const transferID = await begin(channel);
    const rows: unknown[] = [];
    const budget = createBudget(address, { rows: MAX_SETTINGS });
    const readStage = createStageReader(channel, address.root, transferID, budget);
    for await (const row of readStage("configuration")) rows.push(row);
    await channel.request({ type: "command", command: "end", params: { transferID } });
    return rows;
  } finally {
    channel.close();
  }
}

const createBudget = ({ root }: RemoteAddress, limits?: Partial<ReceiveLimits>): ReceiveBudget =>
  new ReceiveBudget((reason) => new ProjectError(root, undefined, reason), limits);

async function begin(channel: TransferChannel): Promise<unknown> {
  const started = await channel.request({ type: "command", command: "init", params: { checksums: true } });
  const transferID = isRecord(started) ? started.transferID : undefined;
  await channel.request({ type: "transfer", kind: "action", action: "bootstrap", transferID });
  return transferID;
}

/** Rejects with a ProjectError with the server's URL. The caller finishes the writer. */
export async function pullInto(writer: ArchiveWriter, address: RemoteAddress, options: PullOptions): Promise<void> {
  const channel = await TransferChannel.open(address, "pull", options.token);
  let puller: ReturnType<typeof createPuller> | undefined;
  try {
    const transferID = await begin(channel);
    const action = (name: string) => channel.request({ type: "transfer", kind: "action", action: name, transferID });
    const budget = createBudget(address, options.limits);
    const readStage = createStageReader(channel, address.root, transferID, budget);
    puller = createPuller(readStage, writer, address.root, budget, options);
    const metadata = await action("getMetadata");
    const schemas = await action("getSchemas");
    if (!isRecord(schemas)) throw new ProjectError(address.root, undefined, "sent no schemas");
    await writer.rows("schemas", Object.values(schemas));
    await puller.rows("entities");
    await puller.assets();
    await puller.rows("links");
    await puller.rows("configuration");
    await action("close");
    await channel.request({ type: "command", command: "end", params: { transferID } });
    await writer.text("metadata.json", JSON.stringify(metadata, null, 2));
  } finally {
    channel.close();
    puller?.abandon();
  }
}

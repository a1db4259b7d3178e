/** `/upload/actions/upload-from-urls`: downloads files, and reports each step as a server-sent event. */

import { type Download, download, type Locate, locatePublic } from "../../engine/media/download.ts";
import { readFileInfo } from "../../engine/media/file-info.ts";
import { discard, type ReceivedFile } from "../../engine/media/receive.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { toText } from "../../lib/coerce.ts";
import { ApiError, applicationError } from "../../lib/errors.ts";
import { logError } from "../../lib/printable.ts";
import { describeAdministrator, setAuthor } from "../administrator.ts";
import { type AdminRoute, type JsonObject, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { readFile, signed } from "./files.ts";

const MAX_URLS = 20;
/** Between two reports of the progress of a file. */
const PROGRESS_MS = 200;

const HEADERS = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" } as const;

type Send = (event: string, data: JsonObject) => void;

/** Errors that are no refusals are defects, which are logged. */
function formatFailure(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  logError(error);
  return "Internal Server Error";
}

/** Throws an ApplicationError for no URLs, and for too many. */
function readUrls(urls: unknown): readonly unknown[] {
  if (!Array.isArray(urls) || urls.length === 0) throw applicationError("URLs are required");
  if (urls.length > MAX_URLS) throw applicationError(`Maximum ${MAX_URLS} URLs allowed per request`);
  return urls;
}

/** Reports the bytes of a download: the first time at once, and its end. */
async function* reported({ stream, total }: Download, index: number, send: Send): AsyncGenerator<Uint8Array> {
  const report = (loadedBytes: number) =>
    send("file:progress", { index, loadedBytes, totalBytes: total, phase: "fetch" });
  report(0);
  let bytes = 0;
  let reportedAt = performance.now();
  for await (const chunk of stream) {
    bytes += chunk.length;
    const now = performance.now();
    if (bytes === total || now - reportedAt >= PROGRESS_MS) {
      report(bytes);
      reportedAt = now;
    }
    yield chunk;
  }
}

type ImportServices = Pick<AdminServices, "context" | "media" | "settings">;

interface Import {
  readonly services: ImportServices;
  readonly locate: Locate;
  readonly closing: AbortSignal;
  readonly folder: unknown;
}

/** Stores a file of the administrator. `info`: its name, texts and folder. Throws an ApiError that says why it cannot be stored. */
export async function storeFile(
  { context, media }: Pick<AdminServices, "context" | "media">,
  part: Parameters<typeof media.receive>[0],
  info: JsonObject,
  onReceived?: (received: ReceivedFile) => void,
): Promise<Document> {
  const received = await media.receive(part);
  try {
    onReceived?.(received);
    const named = { name: received.filename, ...info };
    const read = readFileInfo(named, (id) => media.folders.find(id) !== undefined);
    const accepted = await media.accept(received);
    const [stored] = await media.create([{ file: accepted, info: read }], {
      user: () => describeAdministrator(context),
    });
    const id = stored?.id as number;
    await setAuthor(context, FILE, [id], { isNew: true });
    return await signed(media, readFile(context, id));
  } finally {
    await discard([received]);
  }
}

/** The file of one URL, stored. Throws the reason why it cannot be. */
async function importFile(
  { services, locate, closing, folder }: Import,
  url: string,
  at: { readonly index: number; readonly total: number },
  send: Send,
): Promise<{ readonly name: string; readonly file: Document }> {
  const found = await download(url, services.settings.upload.sizeLimit, closing, locate);
  const part = { filename: found.filename, type: found.type, stream: reported(found, at.index, send) };
  const report = ({ filename, size }: ReceivedFile) => send("file:uploading", { name: filename, ...at, size });
  return { name: found.filename, file: await storeFile(services, part, { folder }, report) };
}

async function importAll(all: Import, urls: readonly unknown[], send: Send): Promise<void> {
  const files: Document[] = [];
  const errors: JsonObject[] = [];
  const total = urls.length;
  for (const [index, value] of urls.entries()) {
    if (all.closing.aborted) return;
    const url = toText(value);
    send("file:fetching", { url, index, total });
    try {
      const { name, file } = await importFile(all, url, { index, total }, send);
      files.push(file);
      send("file:complete", { name, index, file });
    } catch (error) {
      const message = formatFailure(error);
      errors.push({ name: url, message });
      send("file:error", { url, index, message });
    }
  }
  send("stream:complete", { data: files, errors });
}

/** `locate`: which addresses may be called. */
export const urlImportRoutes = (services: ImportServices, locate: Locate = locatePublic): AdminRoute[] => [
  route("POST", "/upload/actions/upload-from-urls", async ({ body }) => {
    const { urls: input, folderId = null } = await body();
    const urls = readUrls(input);
    const ended = new AbortController();
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send: Send = (event, data) => {
          if (ended.signal.aborted) return;
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
        };
        const work = importAll({ services, locate, closing: ended.signal, folder: folderId }, urls, send);
        work.then(
          () => ended.signal.aborted || controller.close(),
          (error: unknown) => controller.error(error),
        );
      },
      cancel: () => ended.abort(),
    });
    return { status: 200, stream, headers: HEADERS };
  }),
];

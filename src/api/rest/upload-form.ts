/** Stores what an upload sends: new files, the new content of a file, or metadata. */

import type { BodySettings } from "../../engine/config/body-settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { findAttachTarget } from "../../engine/media/attach.ts";
import { type FolderExists, readBodyInfo, readFileInfos } from "../../engine/media/file-info.ts";
import type { AcceptedFile } from "../../engine/media/file-preparer.ts";
import type { FileServices } from "../../engine/media/file-services.ts";
import { batches, type MediaService } from "../../engine/media/media-service.ts";
import { discard, type ReceivedFile } from "../../engine/media/receive.ts";
import type { PaginationSettings } from "../../engine/query/list-params.ts";
import type { Document } from "../../engine/query/select.ts";
import { ApiError, validationError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { bodyKind, parseFields } from "./body.ts";
import type { RestCall } from "./call.ts";
import { type FilePart, readMultipart } from "./multipart.ts";

/** The form field of files; others are ignored. */
const FIELD = "files";

export interface UploadServices {
  readonly context: DocumentsContext;
  /** Opens the media library, when it is first changed. */
  readonly media: () => MediaService;
  readonly pagination: PaginationSettings;
  readonly bodySettings: BodySettings;
  /** Set for the admin, which chooses the folder of files. */
  readonly folderExists?: FolderExists;
  /** Services that take the place of the media library's own; undefined if it has no others. */
  readonly fileServices: () => FileServices | undefined;
  /** The administrator, for these services. */
  readonly user?: () => Document;
}

interface Form {
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
}

/** Reads a form with its files, or another body without files. The caller must discard the files. */
async function readForm({ request, body }: RestCall, media: MediaService, settings: BodySettings): Promise<Form> {
  const isForm = bodyKind(request.headers.get("content-type")) === "multipart";
  if (!isForm || !settings.parses.multipart || !settings.methods.includes(request.method))
    return { body: await body(), files: [] };
  // the next file is received while the last one is being flushed
  const received: Promise<ReceivedFile>[] = [];
  try {
    const onFile = async (part: FilePart): Promise<void> => {
      if (part.field !== FIELD) return void part.stream.resume();
      const file = media.receive(part);
      received.push(file);
      await file;
    };
    const fields = await readMultipart(request, { onFile, forms: settings.forms });
    return { body: parseFields(fields), files: await Promise.all(received) };
  } catch (error) {
    const results = await Promise.allSettled(received);
    await discard(results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
    throw error;
  }
}

interface Accepted {
  readonly files: readonly AcceptedFile[];
  /** For each sent file: whether it was accepted. */
  readonly accepted: readonly boolean[];
}

/** Drops files of refused types; throws the first error if none is left. */
async function acceptAll(media: MediaService, files: readonly ReceivedFile[]): Promise<Accepted> {
  const results: PromiseSettledResult<AcceptedFile>[] = [];
  for await (const batch of batches(files))
    results.push(...(await Promise.allSettled(batch.map((file) => media.accept(file)))));
  const failed = results.filter((result) => result.status === "rejected");
  const unexpected = failed.find(({ reason }) => !(reason instanceof ApiError));
  if (unexpected) throw unexpected.reason;
  const accepted = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (accepted.length === 0) throw failed[0]?.reason;
  return { files: accepted, accepted: results.map(({ status }) => status === "fulfilled") };
}

async function create({ files, body }: Form, services: UploadServices): Promise<Document[]> {
  const { context, folderExists, user } = services;
  const media = services.media();
  const fields = toRecord(body);
  const accepted = await acceptAll(media, files);
  const infos = readFileInfos(fields.fileInfo, accepted.accepted, folderExists);
  const attachTo = findAttachTarget(context, fields);
  const newFiles = accepted.files.map((file, index) => ({ file, info: infos[index] ?? {} }));
  return media.create(newFiles, { attachTo, inApiFolder: !folderExists, fields, user });
}

async function replace(id: unknown, { files, body }: Form, services: UploadServices): Promise<Document> {
  const { media, folderExists, user } = services;
  if (files.length > 1) throw validationError("Cannot replace a file with multiple ones");
  const accepted = await acceptAll(media(), files);
  const [info = {}] = readFileInfos(isRecord(body) ? body.fileInfo : undefined, accepted.accepted, folderExists);
  const [file] = accepted.files;
  if (!file) throw new Error("A form without files has nothing to replace with");
  return media().replace(singleId(id), file, info, user);
}

function singleId(id: unknown): unknown {
  if (typeof id === "string") return id;
  throw validationError("File id is required and must be a single value");
}

/** The status of the response, and the files that it lists; one file if it was replaced or updated. */
export interface StoredForm {
  readonly status: 200 | 201;
  readonly files: Document | Document[];
}

/** Creates files, replaces a file or updates its metadata, depending on the request. Rejects with ApiErrors. */
export async function storeForm(call: RestCall, services: UploadServices): Promise<StoredForm> {
  const media = services.media();
  const { id } = call.query();
  const form = await readForm(call, media, services.bodySettings);
  try {
    const isEmpty = form.files.length === 0 || (form.files.length === 1 && form.files[0]?.size === 0);
    if (isEmpty && !id) throw validationError("Files are empty");
    if (isEmpty) {
      const info = readBodyInfo(form.body, services.folderExists);
      return { status: 200, files: await media.update(singleId(id), info, services.user) };
    }
    if (id) return { status: 200, files: await replace(id, form, services) };
    return { status: 201, files: await create(form, services) };
  } finally {
    await discard(form.files);
  }
}

/** The routes of the media library: upload, list, replace and delete files. */

import type { DocumentsContext } from "../../documents/context.ts";
import { ApiError, notFound, validationError } from "../../errors.ts";
import { findAttachTarget } from "../../media/attach.ts";
import { type FolderExists, readBodyInfo, readFileInfos } from "../../media/file-info.ts";
import type { AcceptedFile } from "../../media/file-preparer.ts";
import type { MediaService } from "../../media/media-service.ts";
import { FileReader } from "../../media/read.ts";
import { discard, type ReceivedFile } from "../../media/receive.ts";
import { isRecord } from "../../query/key-check.ts";
import { type PaginationSettings, paginationMeta } from "../../query/pagination.ts";
import type { Document } from "../../query/select.ts";
import { whenReady } from "../../when-ready.ts";
import { bodyKind, parseFields } from "./body.ts";
import type { RestCall, RestResult, RestRoute } from "./call.ts";
import { readMultipart } from "./multipart.ts";

/** The form field of files; others are ignored. */
const FIELD = "files";
const ACTION = "plugin::upload.content-api";

/** Files on local disks have no signed URLs. Only these routes return the key. */
const signed = <T extends Document>(file: T): T & { isUrlSigned: false } => ({ ...file, isUrlSigned: false });

interface Form {
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
}

/** Reads a form with its files, or another body without files. The caller must discard the files. */
async function readForm({ request, body }: RestCall, media: MediaService): Promise<Form> {
  if (bodyKind(request.headers.get("content-type")) !== "multipart") return { body: await body(), files: [] };
  // the next file is received while the last one is being flushed
  const received: Promise<ReceivedFile>[] = [];
  try {
    const fields = await readMultipart(request, async (part) => {
      if (part.field !== FIELD) return void part.stream.resume();
      const file = media.receive(part);
      received.push(file);
      await file;
    });
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

/** Files that are processed before other requests are served. */
const BATCH = 16;

/** Batches of a list; other requests are served between them. */
async function* batches<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < list.length; at += BATCH) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    yield list.slice(at, at + BATCH);
  }
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

async function create({ files, body }: Form, { media, context, folderExists }: UploadServices): Promise<Document[]> {
  const fields = isRecord(body) ? body : {};
  const accepted = await acceptAll(media, files);
  const infos = readFileInfos(fields.fileInfo, accepted.accepted, folderExists);
  const attachTo = findAttachTarget(context, fields);
  const ids: number[] = [];
  for await (const batch of batches([...accepted.files.entries()])) {
    const newFiles = batch.map(([index, file]) => ({ file, info: infos[index] ?? {} }));
    ids.push(...(await media.create(newFiles, { attachTo, inApiFolder: !folderExists })));
  }
  return media.records.list(ids);
}

async function replace(id: unknown, { files, body }: Form, { media, folderExists }: UploadServices): Promise<Document> {
  if (files.length > 1) throw validationError("Cannot replace a file with multiple ones");
  const accepted = await acceptAll(media, files);
  const [info = {}] = readFileInfos(isRecord(body) ? body.fileInfo : undefined, accepted.accepted, folderExists);
  const [file] = accepted.files;
  if (!file) throw new Error("A form without files has nothing to replace with");
  return media.replace(singleId(id), file, info);
}

function singleId(id: unknown): unknown {
  if (typeof id === "string") return id;
  throw validationError("File id is required and must be a single value");
}

/** Creates files, replaces a file or updates its metadata, depending on the request. */
async function upload(call: RestCall, services: UploadServices): Promise<RestResult> {
  const { media, folderExists } = services;
  const { id } = call.query();
  const form = await readForm(call, media);
  try {
    const isEmpty = form.files.length === 0 || (form.files.length === 1 && form.files[0]?.size === 0);
    if (isEmpty && !id) throw validationError("Files are empty");
    if (isEmpty) {
      const info = readBodyInfo(form.body, folderExists);
      return { status: 200, body: signed(await media.update(singleId(id), info)) };
    }
    if (id) return { status: 200, body: signed(await replace(id, form, services)) };
    return { status: 201, body: (await create(form, services)).map(signed) };
  } finally {
    await discard(form.files);
  }
}

export interface UploadServices {
  readonly context: DocumentsContext;
  readonly media: MediaService;
  readonly pagination: PaginationSettings;
  /** Set for the admin, which chooses the folder of files. */
  readonly folderExists?: FolderExists;
}

export function uploadRoutes(services: UploadServices): RestRoute[] {
  const { context, media, pagination } = services;
  const reader = ({ ability, budget }: RestCall) => new FileReader(context, { canRead: ability.canRead, budget });
  const toResult = (file: Document | undefined): RestResult => {
    if (!file) throw notFound("file.notFound");
    return { status: 200, body: signed(file) };
  };
  return [
    {
      method: "POST",
      path: "/upload",
      action: `${ACTION}.upload`,
      handle: (call) => upload(call, services),
    },
    {
      method: "GET",
      path: "/upload/files",
      action: `${ACTION}.find`,
      handle: (call) =>
        whenReady(reader(call).findMany(call.query()), (files) => ({ status: 200, body: files.map(signed) })),
    },
    {
      method: "GET",
      path: "/upload/files/page",
      action: `${ACTION}.findPage`,
      handle: (call) =>
        whenReady(reader(call).findPage(call.query(), pagination), (page) => {
          const meta = { pagination: paginationMeta(page.pagination, page.total) };
          return { status: 200, body: { data: page.documents.map(signed), meta } };
        }),
    },
    {
      method: "GET",
      path: "/upload/files/:id",
      action: `${ACTION}.findOne`,
      handle: (call) => toResult(reader(call).findOne(call.params.id, call.query())),
    },
    {
      method: "DELETE",
      path: "/upload/files/:id",
      action: `${ACTION}.destroy`,
      handle: async ({ params }) => toResult(await media.delete(params.id)),
    },
  ];
}

/**
 * The service `upload`. The media library stores files at once; if code has replaced a step, files are stored step by step through the
 * other services and the provider, in Strapi's order.
 */
import { findAttachTarget } from "../../engine/media/attach.ts";
import type { FileInfo } from "../../engine/media/file-info.ts";
import { createTemporaryFolder, removeTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiError } from "../packages/utils.ts";
import { fileReads, findFile } from "./file-reads.ts";
import { fileRows } from "./file-rows.ts";
import { enhanceFile, formatFileInfo, receivedName, receivedPath, receivedType } from "./received-file.ts";
import { type Call, readFormats, type UploadFile, type UploadParts } from "./upload-parts.ts";

interface Copy {
  readonly key: string;
  readonly file: UploadFile;
}

/** The copies of an image, each as soon as it is made. */
async function* createCopies(images: Call, data: UploadFile): AsyncGenerator<Copy> {
  if (!(await images("isResizableImage", data))) return;
  const thumbnail = (await images("generateThumbnail", data)) as UploadFile | null | undefined;
  if (thumbnail) yield { key: "thumbnail", file: thumbnail };
  const formats = await images("generateResponsiveFormats", data);
  for (const format of Array.isArray(formats) ? (formats as (Copy | null)[]) : []) if (format) yield format;
}

/** Stores an image and its copies. Sets the dimensions and `formats` of `data`. `old`: the record that it replaces, of the same provider. */
async function storeImage(parts: UploadParts, data: UploadFile, old?: UploadFile): Promise<void> {
  const images = parts.service("image-manipulation");
  const { width, height } = toRecord(await images("getDimensions", data));
  Object.assign(data, { width, height });
  const unused = new Map(Object.entries(old ? readFormats(old) : {}));
  const pending: Promise<unknown>[] = [];
  const start = (work: Promise<unknown>): void => {
    // handled when all have ended
    work.catch(() => {});
    pending.push(work);
  };
  const send = async (file: UploadFile, previous: UploadFile | undefined): Promise<void> => {
    const provider = parts.service("provider");
    await (previous ? provider("replace", file, previous) : provider("upload", file));
  };
  const sendCopy = async ({ key, file }: Copy): Promise<void> => {
    const previous = unused.get(key);
    unused.delete(key);
    await send(file, previous);
    data.formats = { ...toRecord(data.formats), [key]: file };
  };
  try {
    start(send(data, old));
    for await (const copy of createCopies(images, data)) start(sendCopy(copy));
    for (const file of unused.values()) start(parts.callProvider("delete", file));
  } finally {
    // also after an error, so that what has been stored can be removed
    await Promise.allSettled(pending);
  }
  await Promise.all(pending);
}

interface Options {
  /** The administrator. */
  readonly user?: unknown;
}

interface NewFiles {
  readonly data?: Values;
  readonly files?: unknown;
}

interface NewContent {
  readonly data?: Values;
  readonly file?: unknown;
}

/** Runs `work` with a folder for the files between its steps. */
async function withFolder<T>(file: Values, work: () => Promise<T>): Promise<T> {
  const folder = createTemporaryFolder("upload");
  file.tmpWorkingDirectory = folder;
  try {
    return await work();
  } finally {
    removeTemporaryFolder(folder);
  }
}

function storeByStep(
  parts: UploadParts,
  file: Values,
  info: Values,
  metas: Values,
  { user }: Options,
): Promise<unknown> {
  const { service, works, providerName } = parts;
  return works.run(() =>
    withFolder(file, async () => {
      const data = await enhanceFile(parts, file, info, metas);
      await service("provider")("checkFileSize", data);
      if (await service("image-manipulation")("isImage", data)) await storeImage(parts, data);
      else await service("provider")("upload", data);
      data.provider = providerName();
      return fileRows(parts).create(data, user);
    }),
  );
}

/** One transaction with the files. */
async function storeAtOnce(parts: UploadParts, file: Values, info: Values, data: Values): Promise<unknown> {
  const media = parts.media();
  const stream = Bun.file(receivedPath(file)).stream() as unknown as AsyncIterable<Uint8Array>;
  const [name, mime] = [receivedName(file), receivedType(file)];
  const accepted = { ...(await media.receive({ filename: name, type: mime, stream })), name, mime };
  const texts = ["name", "alternativeText", "caption"].filter((name) => typeof info[name] === "string");
  const { focalPoint, folder } = info;
  const fileInfo: FileInfo = {
    ...Object.fromEntries(texts.map((name) => [name, info[name]])),
    ...(isRecord(focalPoint) ? { focalPoint } : {}),
    ...(typeof folder === "number" ? { folder } : {}),
  };
  const attachTo = findAttachTarget(parts.runtime().context, data);
  const [created] = await media.create([{ file: accepted, info: fileInfo }], { attachTo });
  return fileRows(parts).find(created?.id);
}

/** The replaced file may have been an image. */
async function replacePlain(parts: UploadParts, file: UploadFile, old: Values): Promise<void> {
  await parts.service("provider")("replace", file, old);
  for (const format of Object.values(readFormats(old))) await parts.callProvider("delete", format);
}

async function findOrThrow(parts: UploadParts, id: unknown): Promise<Values> {
  const file = await findFile(parts, id);
  if (!file) throw strapiError("NotFoundError");
  return file;
}

export function uploadService(parts: UploadParts): Members {
  const rows = fileRows(parts);

  async function upload({ data = {}, files }: NewFiles, options: Options = {}): Promise<unknown[]> {
    const { fileInfo, ...metas } = data;
    const infos = [fileInfo].flat();
    const uploaded: unknown[] = [];
    for (const [index, file] of [files].flat().entries()) {
      if (!isRecord(file)) throw new Error("upload() takes the files of a form, or objects with filepath and name");
      const info = toRecord(infos[index] ?? (infos.length === 1 ? infos[0] : {}));
      const stored = parts.hasOwnSteps()
        ? storeByStep(parts, file, info, metas, options)
        : storeAtOnce(parts, file, info, data);
      uploaded.push(await stored);
    }
    return uploaded;
  }

  async function updateFileInfo(id: unknown, info: Values = {}, { user }: Options = {}): Promise<unknown> {
    const file = await findOrThrow(parts, id);
    const { folder } = info;
    const texts = ["name", "alternativeText", "caption", "focalPoint"].map((name) => [name, info[name] ?? file[name]]);
    const folderPath = folder === undefined ? undefined : await parts.service("file")("getFolderPath", folder);
    const moved = folder === undefined ? {} : { folder, folderPath };
    return rows.update(id, { ...Object.fromEntries(texts), ...moved }, user);
  }

  async function replace(id: unknown, { data = {}, file }: NewContent, { user }: Options = {}): Promise<unknown> {
    const old = await findOrThrow(parts, id);
    const { service, works, providerName } = parts;
    const sent = toRecord(file);
    // as in Strapi, a replaced file is not attached to anything
    const { fileInfo, refId: _, ref: __, field: ___, ...metas } = data;
    const info = toRecord(fileInfo);
    return works.run(() =>
      withFolder(sent, async () => {
        const fileData = await enhanceFile(parts, sent, info, metas);
        await service("provider")("checkFileSize", fileData);
        // the URL stays the same
        Object.assign(fileData, { hash: old.hash, ext: old.ext, formats: {} });
        if (info.folder === undefined) fileData.folderPath = old.folderPath;
        const isImage = await service("image-manipulation")("isImage", fileData);
        const isOwn = old.provider === providerName();
        if (isImage) await storeImage(parts, fileData, isOwn ? old : undefined);
        else if (isOwn) await replacePlain(parts, fileData, old);
        else await service("provider")("upload", fileData);
        fileData.provider = providerName();
        return rows.update(id, fileData, user);
      }),
    );
  }

  async function remove(input: unknown): Promise<unknown> {
    const { media, works, hasOwnSteps, providerName, callProvider } = parts;
    const file = isRecord(input) ? input : ((await rows.find(input)) ?? { id: input });
    if (!hasOwnSteps()) {
      const row = await rows.find(file.id);
      if (row) await media().delete(file.id);
      return row;
    }
    return works.run(async () => {
      if (file.provider === providerName()) {
        await callProvider("delete", file);
        for (const format of Object.values(readFormats(file))) await callProvider("delete", format);
      }
      return rows.remove(file.id);
    });
  }

  return {
    ...fileReads(parts),
    formatFileInfo: (file: Parameters<typeof formatFileInfo>[1], info?: Values, metas?: Values) =>
      formatFileInfo(parts, file, info, metas),
    ...{ upload, updateFileInfo, replace, remove },
  };
}

/** The service `file`: folders of files, deletion of several, signed URLs, and files from URLs. */
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { download } from "../../engine/media/download.ts";
import { Folders } from "../../engine/media/folders.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { errorMessage } from "../../lib/errors.ts";
import { toRecord, type Values } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { readFormats, type UploadFile, type UploadParts } from "./upload-parts.ts";

/** The path of a folder; "/" without one. Throws for an unknown folder. */
export function findFolderPath({ runtime }: Pick<UploadParts, "runtime">, id: unknown): string {
  const path = new Folders(runtime().raw).findPath(id === null || id === undefined ? null : (rowId(id) ?? 0));
  if (path === undefined) throw new Error(`There is no folder ${String(id)}`);
  return path;
}

type Progress = (progress: { readonly bytesWritten: number; readonly totalBytes: number | null }) => void;

/** Stores the content of a public URL in a folder, which the caller removes. Rejects with an ApplicationError, as in Strapi. */
async function fetchFile(
  { runtime }: Pick<UploadParts, "runtime">,
  url: string,
  folder: unknown,
  limit: unknown,
  onProgress: Progress | undefined,
): Promise<UploadFile> {
  if (typeof folder !== "string") throw new TypeError("fetchUrlToInputFile needs a folder as its second argument");
  const { settings, ended, log } = runtime();
  const failed = new AbortController();
  // without a limit of the caller, that of uploads
  const sizeLimit = Number(limit ?? settings.upload.sizeLimit) || 0;
  const closing = AbortSignal.any([ended.signal, failed.signal]);
  const { filename, type, total, stream } = await download(url, sizeLimit, closing);
  let size = 0;
  const report = (): void => {
    try {
      onProgress?.({ bytesWritten: size, totalBytes: total });
    } catch (error) {
      log.warn(`onProgress of fetchUrlToInputFile threw an error: ${errorMessage(error)}`);
    }
  };
  async function* reported(): AsyncGenerator<Uint8Array> {
    report();
    for await (const chunk of stream) {
      size += chunk.length;
      report();
      yield chunk;
    }
  }
  // the server's name for the file could be that of another one
  const filepath = join(folder, `${randomUUID()}${/\.\w{1,16}$/.exec(filename)?.[0] ?? ""}`);
  try {
    await writeFile(filepath, reported(), { flag: "wx" });
  } catch (error) {
    failed.abort();
    await rm(filepath, { force: true }).catch((problem: unknown) => log.warn(problem));
    throw error;
  }
  return { filepath, originalFilename: filename, mimetype: type, size, tmpWorkingDirectory: folder };
}

export function fileService(parts: UploadParts): Members {
  const call = parts.callProvider;

  /** Files of other providers, and of public ones, keep their URLs. */
  const signFileUrls = async (file: Values): Promise<Values> => {
    const isPrivate = await call("isPrivate");
    file.isUrlSigned = false;
    if (file.provider !== parts.providerName() || !isPrivate) return file;
    const sign = async (part: Values): Promise<Values> => {
      const { url } = toRecord(await call("getSignedUrl", part));
      return { ...part, url, isUrlSigned: true };
    };
    const signed = await sign(file);
    if (!file.formats) return signed;
    const formats = Object.entries(readFormats(file)).map(async ([key, format]) => [key, await sign(format)] as const);
    return { ...signed, formats: Object.fromEntries(await Promise.all(formats)) };
  };

  return {
    signFileUrls,
    fetchUrlToInputFile: async (url: unknown, folder: unknown, sizeLimit: unknown, onProgress?: Progress) => ({
      file: await fetchFile(parts, String(url), folder, sizeLimit, onProgress),
    }),
    getFolderPath: async (id: unknown) => findFolderPath(parts, id),
    deleteByIds: async (ids: unknown = []) => {
      const id = { $in: [ids].flat().flatMap((one) => rowId(one) ?? []) };
      const files = await parts.runtime().query(FILE).findMany({ where: { id } });
      for (const file of files) await parts.service("upload")("remove", file);
      return files;
    },
  };
}

/** Turns a received file into the data of a record, as Strapi's upload service does. */
import { basename } from "node:path";
import { checkName, findExtension } from "../../engine/media/names.ts";
import { kilobytes } from "../../engine/media/sizes.ts";
import { strapiError } from "../packages/utils.ts";
import { createStream, firstText, type UploadFile, type UploadParts } from "./upload-parts.ts";

type Values = Record<string, unknown>;

const UNKNOWN_TYPE = "application/octet-stream";

/** The path of a received file; code may call it by other names. */
export const receivedPath = (file: Values): string => firstText(file.filepath, file.path, file.tmpPath);

/** Strapi's default name, with its spelling; it ignores `name`. */
export const receivedName = (file: Values): string => firstText(file.originalFilename) || "unamed";

/** Without what Bun, unlike Node.js, appends to the type of a `Blob`. */
const declaredType = (file: Values): string => firstText(file.mimetype, file.type).replace(/;charset=utf-8$/, "");

/** The type as it is given: only Strapi's controllers look at the content. */
export function receivedType(file: Values): string {
  const declared = declaredType(file);
  return firstText(file.detectedMimeType) || declared || UNKNOWN_TYPE;
}

function checkFileName(name: string): void {
  try {
    checkName(name);
  } catch (error) {
    throw strapiError("ApplicationError", (error as Error).message);
  }
}

/** `metas`: further fields of the form. Throws an ApplicationError for an invalid name. */
export async function formatFileInfo(
  { service }: UploadParts,
  { filename, type, size }: { readonly filename: string; readonly type: string; readonly size: number },
  info: Values = {},
  metas: Values = {},
): Promise<UploadFile> {
  checkFileName(filename);
  const ext = findExtension(filename, type);
  const name = String(info.name || filename).normalize();
  const { alternativeText, caption, focalPoint, folder } = info;
  const { refId, ref, field, path, tmpWorkingDirectory } = metas;
  return {
    name,
    alternativeText,
    caption,
    focalPoint,
    folder,
    folderPath: await service("file")("getFolderPath", folder),
    hash: await service("image-manipulation")("generateFileName", basename(name, ext)),
    ext,
    mime: type,
    size: kilobytes(size),
    sizeInBytes: size,
    ...(refId && ref && field ? { related: [{ id: refId, __type: ref, __pivot: { field } }] } : {}),
    ...(path ? { path } : {}),
    ...(tmpWorkingDirectory ? { tmpWorkingDirectory } : {}),
  };
}

/** Also throws an ApplicationError for a broken image. */
export async function enhanceFile(parts: UploadParts, file: Values, info: Values, metas: Values): Promise<UploadFile> {
  const path = receivedPath(file);
  const type = receivedType(file);
  const size = typeof file.size === "number" ? file.size : Bun.file(path).size;
  const { tmpWorkingDirectory } = file;
  const named = { filename: receivedName(file), type, size };
  const data = await formatFileInfo(parts, named, info, { ...metas, tmpWorkingDirectory });
  Object.assign(data, { filepath: path, getStream: createStream(path) });
  const call = parts.service("image-manipulation");
  if (!(await call("isImage", data))) return data;
  if (await call("isFaultyImage", data)) throw strapiError("ApplicationError", "File is not a valid image");
  return (await call("isOptimizableImage", data)) ? ((await call("optimize", data)) as UploadFile) : data;
}

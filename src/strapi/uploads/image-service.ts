/** The service `image-manipulation`. The steps of an upload share one decoding of the image. */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatsFor } from "../../engine/media/images/formats.ts";
import type { ProcessedImage } from "../../engine/media/images/image.ts";
import { type ImageFormat, imageFormat, readImage } from "../../engine/media/images/index.ts";
import { createHash } from "../../engine/media/names.ts";
import { kilobytes } from "../../engine/media/sizes.ts";
import { HEAD_BYTES } from "../../engine/media/types.ts";
import { createTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { ApiError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { createStream, findPath, openStream, type UploadFile, type UploadParts } from "./upload-parts.ts";

/** Formats that are encoded again. */
const OPTIMIZABLE: readonly (ImageFormat | undefined)[] = ["jpeg", "png", "webp"];
const RESIZABLE: readonly (ImageFormat | undefined)[] = [...OPTIMIZABLE, "gif"];
/** The thumbnail's box, in pixels. */
const THUMBNAIL = { width: 245, height: 156 };

const temporary = (file: UploadFile, name: string): string => {
  const { tmpWorkingDirectory } = file;
  const folder = stringOrNone(tmpWorkingDirectory);
  return join(folder ?? createTemporaryFolder("upload"), name);
};

/** The content on disk; streams of code are stored first. */
const onDisk = async (file: UploadFile): Promise<string> => {
  const path = findPath(file);
  if (path !== undefined) return path;
  const copy = temporary(file, `received-${file.hash}`);
  await writeFile(copy, openStream(file));
  file.getStream = createStream(copy);
  return copy;
};

const readHead = (path: string): Promise<Uint8Array> => Bun.file(path).slice(0, HEAD_BYTES).bytes();
const detectFormat = async (file: UploadFile): Promise<ImageFormat | undefined> =>
  imageFormat(await readHead(await onDisk(file)));

const buildKey = async (path: string): Promise<string> => {
  const { size, mtimeMs } = await stat(path);
  return `${path}:${size}:${mtimeMs}`;
};

const breakpoints = (parts: UploadParts) => parts.runtime().settings.upload.breakpoints;

const read = async (parts: UploadParts, file: UploadFile): Promise<ProcessedImage | undefined> => {
  const path = await onDisk(file);
  const work = async () => readImage(path, await readHead(path), (size) => formatsFor(size, breakpoints(parts)));
  const images = parts.works.current?.images;
  if (!images) return work();
  return images.getOrInsertComputed(await buildKey(path), work);
};

/** False for a broken image, undefined for a file that is not an image. */
async function isReadable(parts: UploadParts, file: UploadFile): Promise<boolean | undefined> {
  try {
    return (await read(parts, file)) ? true : undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

export function imageService(parts: UploadParts): Members {
  const settings = async () => toRecord(await parts.service("upload")("getSettings"));

  /** Null for an image that needs no copy of this name. */
  const createCopy = async (file: UploadFile, key: string): Promise<UploadFile | null> => {
    const image = await read(parts, file);
    const formats = image ? formatsFor(image, breakpoints(parts)) : [];
    const index = formats.findIndex((format) => format.key === key);
    const content = image?.copies[index];
    const format = formats[index];
    if (!content || !format) return null;
    const { name, hash, ext, mime, path } = file;
    const filepath = temporary(file, `${key}_${hash}`);
    await writeFile(filepath, content);
    const { width, height } = format;
    const names = { name: `${key}_${name}`, hash: `${key}_${hash}`, ext, mime, filepath, path: path || null };
    const size = { size: kilobytes(content.length), sizeInBytes: content.length };
    return { ...names, getStream: createStream(filepath), width, height, ...size };
  };

  return {
    /** Whether the file is an image, also if it is broken. */
    isImage: async (file: UploadFile) => (await isReadable(parts, file)) !== undefined,
    isFaultyImage: async (file: UploadFile) => (await isReadable(parts, file)) === false,
    isOptimizableImage: async (file: UploadFile) => OPTIMIZABLE.includes(await detectFormat(file)),
    isResizableImage: async (file: UploadFile) => RESIZABLE.includes(await detectFormat(file)),
    getDimensions: async (file: UploadFile) => {
      const image = await read(parts, file);
      return { width: image?.width ?? null, height: image?.height ?? null };
    },
    generateThumbnail: async (file: UploadFile) => {
      const { width, height } = file;
      const isLarger = Number(width) > THUMBNAIL.width || Number(height) > THUMBNAIL.height;
      return width && height && isLarger ? createCopy(file, "thumbnail") : null;
    },
    generateResponsiveFormats: async (file: UploadFile) => {
      const { responsiveDimensions = false } = await settings();
      if (!responsiveDimensions) return [];
      const files: { key: string; file: UploadFile }[] = [];
      for (const key of Object.keys(breakpoints(parts))) {
        const copy = await createCopy(file, key);
        if (copy) files.push({ key, file: copy });
      }
      return files;
    },
    optimize: async (file: UploadFile) => {
      const { sizeOptimization = false, autoOrientation = false } = await settings();
      if (!sizeOptimization && !autoOrientation) return file;
      const image = OPTIMIZABLE.includes(await detectFormat(file)) ? await read(parts, file) : undefined;
      if (!image?.stored) return file;
      const filepath = temporary(file, `optimized-${file.hash}`);
      await writeFile(filepath, image.stored);
      // its copies are those of the original
      parts.works.current?.images.set(await buildKey(filepath), Promise.resolve(image));
      const size = { size: kilobytes(image.stored.length), sizeInBytes: image.stored.length };
      return {
        ...file,
        getStream: createStream(filepath),
        filepath,
        width: image.width,
        height: image.height,
        ...size,
      };
    },
    generateFileName: (name: string) => createHash(name, "", parts.runtime().context.ids),
  };
}

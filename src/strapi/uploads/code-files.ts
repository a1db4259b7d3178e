/** Uploads over HTTP that go through the services, for code that has replaced some of them. */

import { sanitizeOutput } from "../../engine/documents/sanitize.ts";
import type { FileServices, SentFile } from "../../engine/media/file-services.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { clientParams } from "../data/document-params.ts";
import { asApiError, hiddenProblem } from "../packages/errors.ts";
import type { UploadParts } from "./upload-parts.ts";

/** The fields of a form that concern the file. */
const FORM_FIELDS = ["ref", "refId", "field", "path"] as const;

/** A received file as Strapi's form parser describes it. */
const asFormFile = ({ name, declared, mime, path, size }: SentFile["file"]): Values => ({
  filepath: path,
  newFilename: path.slice(path.lastIndexOf("/") + 1),
  originalFilename: name,
  mimetype: declared || "application/octet-stream",
  detectedMimeType: mime,
  size,
  hash: null,
  hashAlgorithm: false,
  lastModifiedDate: new Date(),
});

/** As in Strapi, a new content has no focal point unless one is sent. */
const pickMetadata = ({ name, alternativeText, caption, focalPoint = null, folder }: SentFile["info"]): Values => ({
  name,
  alternativeText,
  caption,
  focalPoint,
  ...(folder === undefined ? {} : { folder }),
});

/** REST and GraphQL handle only ApiErrors. Other errors keep their status, such as that of a provider's server, without the message. */
function visibleError({ runtime }: UploadParts, error: unknown): unknown {
  const converted = asApiError(error);
  const { status, name, message } = hiddenProblem(error);
  if (converted instanceof ApiError || status === 500) return converted;
  runtime().log.error(error);
  return new ApiError("ApplicationError", message, {}, { status, name, hasDetails: false, cause: error });
}

/** `isPrivate`: whether the provider is, once that is known. */
export function codeFiles(parts: UploadParts, isPrivate: () => boolean): FileServices {
  const { service, works } = parts;
  const upload = () => service("upload");
  /** Code that does not answer is cut off. */
  const limited = <T>(work: () => Promise<T>): Promise<T> =>
    works.limited(work).catch((error: unknown) => {
      throw visibleError(parts, error);
    });
  const clean = (value: unknown): Values => {
    const { model } = parts.runtime().context;
    return sanitizeOutput(model, contentType(model, FILE), value, () => true) as Values;
  };
  const options = (user: unknown): Values[] => (user === undefined ? [] : [{ user }]);
  const remove = async (id: unknown): Promise<Values | undefined> => {
    const file = await upload()("findOne", id);
    if (!isRecord(file)) return undefined;
    await upload()("remove", file);
    return clean(file);
  };
  const signStored = async (ids: readonly number[]): Promise<ReadonlyMap<number, Values>> => {
    const files = await parts
      .runtime()
      .query(FILE)
      .findMany({ where: { id: { $in: ids } } });
    const signed = files.map(async (file) => [Number(file.id), await service("file")("signFileUrls", file)] as const);
    return new Map((await Promise.all(signed)) as [number, Values][]);
  };

  return {
    create: (files, { fields, inApiFolder, user }) =>
      limited(async () => {
        const folder = inApiFolder ? toRecord(await service("api-upload-folder")("getAPIUploadFolder")).id : undefined;
        const infos = files.map(({ info }) => ({ ...pickMetadata(info), ...(inApiFolder ? { folder } : {}) }));
        const sent = Object.fromEntries(
          FORM_FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
        );
        const data = { ...sent, fileInfo: infos.length === 1 ? infos[0] : infos };
        const input = { data, files: files.map(({ file }) => asFormFile(file)) };
        const stored = await upload()("upload", input, ...options(user));
        if (!Array.isArray(stored)) throw new TypeError("plugin::upload.upload: upload() must return a list of files");
        return stored.map(clean);
      }),
    replace: (id, { file, info }, user) =>
      limited(async () => {
        const input = { data: { fileInfo: pickMetadata(info) }, file: asFormFile(file) };
        return clean(await upload()("replace", id, input, ...options(user)));
      }),
    update: (id, info, user) =>
      limited(async () => {
        const sent = pickBy(info, (value) => value !== undefined);
        return clean(await upload()("updateFileInfo", id, sent, ...options(user)));
      }),
    delete: (id) => limited(() => remove(id)),
    deleteMany: (ids, folderIds) =>
      limited(async () => {
        const deleted = await service("file")("deleteByIds", ids);
        await service("folder")("deleteByIds", folderIds);
        return [deleted].flat().filter(isRecord).map(clean);
      }),
    read: (member, ...given) => {
      const query = member === "findOne" ? member : "findMany";
      if (!parts.replaces(`upload.${member}`) && !parts.listens(query)) return undefined;
      const args = member === "findOne" ? given : given.map((params) => clientParams(toRecord(params)));
      return limited(async () => {
        const found = await upload()(member, ...args);
        return isRecord(found) && Array.isArray(found.results)
          ? { ...found, results: clean(found.results) }
          : clean(found);
      });
    },
    // attributes that the file has are shown: the administration's have a folder
    sign: (file) =>
      limited(async () => {
        const signed = toRecord(await service("file")("signFileUrls", { ...file }));
        return { ...pickBy(signed, (_, name) => Object.hasOwn(file, name)), ...clean(signed) };
      }),
    get signStored() {
      return isPrivate() ? (ids: readonly number[]) => limited(() => signStored(ids)) : undefined;
    },
  };
}

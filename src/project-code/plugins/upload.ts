/** The upload service, for files from a form, from disk or from elsewhere. */
import { findAttachTarget } from "../../media/attach.ts";
import type { FileInfo } from "../../media/file-info.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { FILE } from "../../schema/builtin/index.ts";
import type { Runtime } from "../runtime.ts";
import type { Members } from "./plugin.ts";
import { folderServices } from "./upload-folders.ts";

type Values = Record<string, unknown>;

const textOf = (...values: readonly unknown[]): string =>
  String(values.find((value) => typeof value === "string" && value !== "") ?? "");

export function uploadServices(runtime: () => Runtime): Members {
  const files = () => runtime().query(FILE);
  const uploadOne = async (file: unknown, info: Values, data: Values): Promise<unknown> => {
    if (!isRecord(file)) throw new Error("upload() takes the files of a form, or objects with filepath and name");
    const path = textOf(file.filepath, file.path, file.tmpPath);
    // the reference's default name, with its spelling; it ignores `name`
    const filename = textOf(file.originalFilename) || "unamed";
    const type = textOf(file.mimetype, file.type);
    const { media: open, context } = runtime();
    const media = open();
    const stream = Bun.file(path).stream() as unknown as AsyncIterable<Uint8Array>;
    const received = await media.receive({ filename, type, stream });
    const accepted = await media.accept(received);
    const texts = ["name", "alternativeText", "caption"].filter((name) => typeof info[name] === "string");
    const fileInfo: FileInfo = Object.fromEntries(texts.map((name) => [name, info[name]]));
    const [id] = await media.create([{ file: accepted, info: fileInfo }], {
      attachTo: findAttachTarget(context, data),
    });
    return files().findOne({ where: { id } });
  };
  const service = {
    upload: async ({ data = {}, files: input }: { data?: Values; files?: unknown }) => {
      const list = [input].flat();
      const infos = [data.fileInfo].flat();
      const uploaded: unknown[] = [];
      for (const [index, file] of list.entries()) {
        const info = infos[index] ?? infos[0];
        uploaded.push(await uploadOne(file, isRecord(info) ? info : {}, data));
      }
      return uploaded;
    },
    findOne: (id: unknown, populate?: unknown) =>
      files().findOne({ where: { id }, ...(populate === undefined ? {} : { populate }) }),
    findMany: (params: Params = {}) => files().findMany(params),
    findPage: (params: Params = {}) => files().findPage(params),
    remove: async (file: unknown) =>
      runtime()
        .media()
        .delete(isRecord(file) ? file.id : file),
    updateFileInfo: async (id: unknown, info: Values) =>
      runtime()
        .media()
        .update(id, info as FileInfo),
    formatFileInfo: (file: Values) => ({ name: textOf(file.filename, file.name), mime: file.type, size: file.size }),
    getSettings: async () => ({ sizeOptimization: true, responsiveDimensions: true, autoOrientation: false }),
  };
  return { upload: () => service, ...folderServices(runtime) };
}

/** The service `file`: folders of files, deletion of several, and signed URLs. */
import { Folders } from "../../engine/media/folders.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { Members } from "../loader/plugin.ts";
import { formatsOf, recordOf, type UploadParts } from "./upload-parts.ts";

type Values = Record<string, unknown>;

/** The path of a folder; "/" without one. Throws for an unknown folder. */
export function folderPathOf({ runtime }: Pick<UploadParts, "runtime">, id: unknown): string {
  const path = new Folders(runtime().raw).pathOf(id === null || id === undefined ? null : (rowId(id) ?? 0));
  if (path === undefined) throw new Error(`There is no folder ${String(id)}`);
  return path;
}

export function fileService(parts: UploadParts): Members {
  const call = parts.callProvider;

  /** Files of other providers, and of public ones, keep their URLs. */
  const signFileUrls = async (file: Values): Promise<Values> => {
    const isPrivate = await call("isPrivate");
    file.isUrlSigned = false;
    if (file.provider !== parts.providerName() || !isPrivate) return file;
    const sign = async (part: Values): Promise<Values> => {
      const { url } = recordOf(await call("getSignedUrl", part));
      return { ...part, url, isUrlSigned: true };
    };
    const signed = await sign(file);
    if (!file.formats) return signed;
    const formats = Object.entries(formatsOf(file)).map(async ([key, format]) => [key, await sign(format)] as const);
    return { ...signed, formats: Object.fromEntries(await Promise.all(formats)) };
  };

  return {
    signFileUrls,
    getFolderPath: async (id: unknown) => folderPathOf(parts, id),
    deleteByIds: async (ids: unknown = []) => {
      const id = { $in: [ids].flat().flatMap((one) => rowId(one) ?? []) };
      const files = await parts.runtime().query(FILE).findMany({ where: { id } });
      for (const file of files) await parts.service("upload")("remove", file);
      return files;
    },
  };
}

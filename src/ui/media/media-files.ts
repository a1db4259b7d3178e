/** Files of the media library, as the content manager answers them. */
import { api } from "../api/client.ts";
import { siteUrl } from "../page-paths.ts";

export interface MediaFile {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly mime: string;
  readonly ext?: string | null;
  /** In kilobytes. */
  readonly size?: number;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly formats?: { readonly thumbnail?: { readonly url: string } } | null;
  readonly [name: string]: unknown;
}

export const isImage = ({ mime }: MediaFile): boolean => mime.startsWith("image/");

/** The stored URL stays the same when the file is replaced, unless it is signed. */
export const currentUrl = ({ updatedAt }: MediaFile, url: string): string =>
  siteUrl(
    updatedAt === undefined || url.includes("?") ? url : `${url}?${new URLSearchParams({ at: String(updatedAt) })}`,
  );

export const thumbnailOf = (file: MediaFile): string => currentUrl(file, file.formats?.thumbnail?.url ?? file.url);

/** Allowed file types that an attribute may allow, by how their media types begin. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  images: ["image/"],
  videos: ["video/"],
  audios: ["audio/"],
};

/** Whether a file is of one of an attribute's `allowedTypes`. */
export function isAllowed({ mime }: MediaFile, allowed: readonly string[] | undefined): boolean {
  if (!allowed || allowed.length === 0) return true;
  const isKind = (kind: string): boolean => kinds[kind]?.some((begin) => mime.startsWith(begin)) ?? false;
  return allowed.some((kind) => isKind(kind) || (kind === "files" && !Object.keys(kinds).some(isKind)));
}

/** Uploads files; they are answered in the same order. Throws what the server refuses. */
export async function uploadFiles(files: readonly File[]): Promise<readonly MediaFile[]> {
  const form = new FormData();
  for (const file of files) {
    form.append("files", file);
    form.append("fileInfo", JSON.stringify({ name: file.name }));
  }
  return api.post<readonly MediaFile[]>("/upload", form);
}

/** Changes the texts of a file; returns the changed file. */
export async function describeFile(id: number, info: { readonly alternativeText: string }): Promise<MediaFile> {
  const form = new FormData();
  form.append("fileInfo", JSON.stringify(info));
  return api.post<MediaFile>("/upload", form, { query: { id } });
}

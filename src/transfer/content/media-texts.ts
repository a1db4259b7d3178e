/** The files beside those of media (`cover.jpg.yaml`), with what is known of them: id, name on disk, which is part of the URL, texts. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { FileInfo } from "../../engine/media/file-info.ts";
import type { DiskName } from "../../engine/media/file-preparer.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentFile } from "./content-file.ts";

export const TEXTS_EXTENSION = ".yaml";
export const TEXTS_FORM = { kind: "yaml" } as const;

/** What a record says. */
export function textsOf(record: Json): ContentFile {
  const { documentId, createdAt, updatedAt, publishedAt, name, hash, ext, alternativeText, caption, focalPoint } =
    record;
  const texts = { name, hash, ext, alternativeText, caption, focalPoint };
  return {
    $id: documentId as string,
    $createdAt: createdAt as string,
    ...(updatedAt === createdAt ? {} : { $updatedAt: updatedAt as string }),
    ...(publishedAt === createdAt ? {} : { $publishedAt: publishedAt as string }),
    ...pickBy(texts, (value) => value !== null && value !== undefined),
  };
}

/** `textsOf` for a file that has the bytes of the upload. An image of pixels would lose quality with each load otherwise. */
export const textsOfUpload = (record: Json): ContentFile => ({
  ...textsOf(record),
  ...(typeof record.width === "number" && record.mime !== "image/svg+xml" ? { stored: true } : {}),
});

export const infoOf = ({ name, alternativeText, caption, focalPoint }: ContentFile): FileInfo => ({
  ...(typeof name === "string" ? { name } : {}),
  alternativeText: typeof alternativeText === "string" ? alternativeText : null,
  caption: typeof caption === "string" ? caption : null,
  focalPoint: isRecord(focalPoint) ? focalPoint : null,
});

/** How the library prepares a new file. */
export const preparationOf = ({ hash, ext, stored }: ContentFile) => ({
  diskName: diskNameOf(hash, ext),
  keepsBytes: stored === true,
});

const diskNameOf = (hash: unknown, ext: unknown): DiskName | undefined =>
  // part of a path
  typeof hash === "string" && /^[\w-]+$/.test(hash) && /^[\w.-]*$/.test(String(ext ?? ""))
    ? { hash, ext: String(ext ?? "") }
    : undefined;

/** Gives a new record the id and the times of its texts. */
export function storeIdentity({ storage, model }: DocumentsContext, id: number, said: ContentFile): void {
  const { $id, $createdAt, $updatedAt = $createdAt, $publishedAt = $createdAt } = said;
  const columns = { document_id: $id, created_at: $createdAt, updated_at: $updatedAt, published_at: $publishedAt };
  for (const [column, value] of Object.entries(columns))
    if (typeof value === "string")
      storage.run(`UPDATE ${quote(contentType(model, FILE).table)} SET ${quote(column)} = ? WHERE id = ?`, [value, id]);
}

/** A path below the folder of media that `isFree`. */
export function mediaPath(name: string, documentId: string, isFree: (path: string) => boolean): string {
  const safe = name.replace(/[^\p{L}\p{N} ._()-]+/gu, "-").replace(/^[.#]+/, "") || documentId;
  const [, stem, extension = ""] = /^(.*?)(\.[^.]+)?$/s.exec(safe)!;
  const candidates = [safe, `${stem}-${documentId.slice(0, 8)}${extension}`];
  return candidates.find(isFree) ?? `${documentId}${extension}`;
}

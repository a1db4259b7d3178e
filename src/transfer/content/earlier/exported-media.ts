/** Media of earlier exports: files in `media/` by their names on disk, each with its record in a JSON file beside it. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ProjectReport } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { isAssetName } from "../../archive/paths.ts";
import type { Json } from "../../archive/shapes.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER, nameOf } from "../file-paths.ts";
import { mediaPath, textsOfUpload } from "../media-texts.ts";
import { type EarlierMedia, readContentJson } from "./earlier-content.ts";

const JSON_FILE = /^[^.].*\.json$/;

export const jsonFilesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => JSON_FILE.test(name))
        .sort()
    : [];

export interface ExportedMedia {
  /** Paths by name on disk. */
  readonly paths: ReadonlyMap<string, string>;
  readonly media: readonly EarlierMedia[];
  /** Paths below the folder of what has been read, and of copies in other sizes. */
  readonly files: readonly string[];
}

interface MediaRecord {
  readonly name: string;
  readonly data: Json;
}

/** Other JSON files are media files. Names that no media file can have are reported. */
function readRecord(folder: string, file: string, report: ProjectReport): MediaRecord | undefined {
  const path = `${MEDIA_FOLDER}/${file}`;
  const name = nameOf(file);
  const data = report.attempt(() => readContentJson(folder, path));
  if (!isRecord(data) || typeof data.documentId !== "string" || `${data.hash}${data.ext ?? ""}` !== name)
    return undefined;
  if (isAssetName(name)) return { name, data };
  report.refuse(`${CONTENT_FOLDER}/${path}`, undefined, "no media file can have this name");
  return undefined;
}

function filesOf({ name, data }: MediaRecord): string[] {
  const formats = isRecord(data.formats) ? Object.values(data.formats).filter(isRecord) : [];
  const copies = [data, ...formats].map(({ hash, ext }) => `${hash}${ext ?? ""}`).filter(isAssetName);
  return [`${name}.json`, ...copies].map((file) => `${MEDIA_FOLDER}/${file}`);
}

/** Problems are reported, with the file. */
export function readExportedMedia(folder: string, report: ProjectReport): ExportedMedia {
  const records = jsonFilesIn(join(folder, MEDIA_FOLDER)).flatMap((file) => readRecord(folder, file, report) ?? []);
  const paths = new Map<string, string>();
  const media: EarlierMedia[] = [];
  const taken = new Set<string>();
  const uploaded = ({ data }: MediaRecord): string => `${data.createdAt} ${data.documentId}`;
  // in the order of uploads, which is the order of lists without a sort
  for (const { name, data } of records.toSorted((a, b) => (uploaded(a) < uploaded(b) ? -1 : 1))) {
    const isFree = (path: string): boolean => !taken.has(path.toLowerCase());
    const path = mediaPath(String(data.name), String(data.documentId), isFree);
    taken.add(path.toLowerCase());
    paths.set(name, path);
    const source = join(folder, MEDIA_FOLDER, name);
    if (existsSync(source)) media.push({ path, source, texts: textsOfUpload(data) });
    else
      report.refuse(
        `${CONTENT_FOLDER}/${MEDIA_FOLDER}/${name}.json`,
        undefined,
        `there is no file ${MEDIA_FOLDER}/${name}`,
      );
  }
  return { paths, media, files: records.flatMap(filesOf) };
}

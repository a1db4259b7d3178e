/** Media of lists of entries: all files below `content/media`, with texts from `content/media/index.json`. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { ProjectReport } from "../../../lib/errors.ts";
import { filesBelow } from "../../../lib/files-below.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER } from "../file-paths.ts";
import { type EarlierMedia, readContentJson } from "./earlier-content.ts";

export const INDEX = "index.json";
const FOLDER = `${CONTENT_FOLDER}/${MEDIA_FOLDER}`;

const Texts = Type.Object(
  { alternativeText: Type.Optional(Type.String()), caption: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
const Index = Type.Record(Type.String(), Texts);

function readIndex(folder: string, report: ProjectReport): Static<typeof Index> {
  const file = `${FOLDER}/${INDEX}`;
  const path = `${MEDIA_FOLDER}/${INDEX}`;
  if (!existsSync(join(folder, path))) return {};
  const content = report.attempt(() => readContentJson(folder, path)) ?? {};
  for (const { path, message } of Value.Errors(Index, content))
    report.refuse(file, path.slice(1).replaceAll("/", ".") || undefined, message.toLowerCase());
  return content as Static<typeof Index>;
}

function listFiles(content: string): string[] {
  const folder = join(content, MEDIA_FOLDER);
  if (!existsSync(folder)) return [];
  return filesBelow(folder).filter((path) => path !== INDEX && !basename(path).startsWith("."));
}

/** Refuses texts without a file. */
export function readListedMedia(folder: string, report: ProjectReport): EarlierMedia[] {
  const index = readIndex(folder, report);
  const paths = listFiles(folder);
  for (const name of Object.keys(index))
    if (!paths.includes(name)) report.refuse(`${FOLDER}/${INDEX}`, name, `there is no such file below ${FOLDER}`);
  return paths.map((path) => ({
    path,
    source: join(folder, MEDIA_FOLDER, path),
    texts: { name: basename(path), ...index[path] },
  }));
}

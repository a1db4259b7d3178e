/** Classifies the files of a content folder: documents, or lists of entries. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ContentType } from "../../engine/schema/model.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { folderOf, isDocumentFile } from "./format.ts";

export const JSON_EXTENSION = /\.json$/;

export const jsonFilesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => JSON_EXTENSION.test(name) && !name.startsWith("."))
        .sort()
    : [];

/** Whether a folder contains document files rather than lists of entries. */
export const hasDocumentFiles = (root: string, types: readonly ContentType[]): boolean =>
  types.some((type) =>
    type.kind === "singleType"
      ? existsSync(join(root, `${type.singularName}.json`)) &&
        isDocumentFile(readProjectJson(root, `${type.singularName}.json`))
      : jsonFilesIn(join(root, folderOf(type))).length > 0,
  );

/** Files with lists of entries, which are ignored if there are document files. */
export const listFiles = (root: string, types: readonly ContentType[]): string[] =>
  types
    .map(({ pluralName, singularName, kind }) => (kind === "singleType" ? singularName : pluralName))
    .filter((name) => existsSync(join(root, `${name}.json`)) && !isDocumentFile(readProjectJson(root, `${name}.json`)))
    .map((name) => `${name}.json`);

/** JSON files that are named after no content-type. */
export function strayFiles(root: string, types: readonly ContentType[]): string[] {
  const names = new Set(types.flatMap(({ pluralName, singularName }) => [pluralName, singularName]));
  return jsonFilesIn(root).filter((name) => !names.has(name.replace(JSON_EXTENSION, "")));
}

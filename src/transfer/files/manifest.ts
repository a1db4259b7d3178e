import { existsSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { parsePath } from "../archive/paths.ts";
import { MANIFEST, type Manifest } from "./format.ts";

const isLocale = (value: unknown): value is Manifest["locales"][number] =>
  isRecord(value) &&
  typeof value.code === "string" &&
  (typeof value.name === "string" || value.name === null) &&
  (value.documentId === undefined || typeof value.documentId === "string");

/** The manifest of the last export into a folder; empty if there was none. Throws a ProjectError for an invalid file. */
export function readManifest(root: string): Manifest {
  if (!existsSync(join(root, MANIFEST))) return { locales: [], defaultLocale: "", files: [] };
  const value = readProjectJson(root, MANIFEST);
  const { locales, defaultLocale, files } = isRecord(value) ? value : {};
  if (!Array.isArray(locales) || !locales.every(isLocale) || typeof defaultLocale !== "string")
    throw new ProjectError(
      MANIFEST,
      "locales",
      "must list locales with code, name and documentId, beside a defaultLocale",
    );
  // a path outside the folder must never be removed
  if (!Array.isArray(files) || !files.every((path) => typeof path === "string" && parsePath(path) !== undefined))
    throw new ProjectError(MANIFEST, "files", "must list paths below the folder");
  return { locales, defaultLocale, files: files as string[] };
}

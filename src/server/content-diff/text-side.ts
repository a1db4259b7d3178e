/** Reads texts of content files as a side of a comparison. */
import { basename } from "node:path";
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { ContentType, Model } from "../../engine/schema/model.ts";
import { ContentFileError } from "../../transfer/content/file-error.ts";
import { findKind, UNKNOWN_BODY } from "../../transfer/content/file-kinds.ts";
import { formOf, isReadme, MEDIA_FOLDER, nameOf, typesByName } from "../../transfer/content/file-paths.ts";
import { type FileForm, parseFile } from "../../transfer/content/file-text.ts";
import { TEXTS_EXTENSION } from "../../transfer/content/media-texts.ts";
import type { FileProblem } from "../content-sync/problems.ts";
import type { Side, SideFile } from "./compare.ts";

/** Finds the type of a path below `content/`. */
export function createTypeFinder(model: Model): (path: string) => ContentType | undefined {
  const { collections, singles } = typesByName(model);
  return (path) => {
    const [folder, name, ...deeper] = path.split("/");
    if (deeper.length > 0) return undefined;
    return name === undefined ? singles.get(nameOf(path)) : collections.get(folder!);
  };
}

const isMediaPath = (path: string): boolean => path.startsWith(`${MEDIA_FOLDER}/`);

/** Undefined for files that are not read as documents. */
function formAt(path: string, type: ContentType | undefined): FileForm | undefined {
  if (isMediaPath(path)) return path.endsWith(TEXTS_EXTENSION) ? { kind: "yaml" } : undefined;
  const kind = findKind(path);
  if (!kind || basename(path).startsWith(".") || isReadme(basename(path))) return undefined;
  if (type) return formOf(type, path);
  return kind === "markdown" ? { kind, body: UNKNOWN_BODY } : { kind };
}

/** `label`: of the side, for problems. */
export function readTexts(model: Model, texts: Iterable<readonly [path: string, text: string]>, label?: string): Side {
  const typeOf = createTypeFinder(model);
  const files: SideFile[] = [];
  const problems: FileProblem[] = [];
  for (const [file, text] of texts) {
    const type = typeOf(file);
    const form = formAt(file, type);
    const kind = isMediaPath(file) ? FILE : (type?.uid ?? file.split("/")[0]!);
    if (!form) {
      if (isMediaPath(file)) files.push({ file, kind: "bytes", document: undefined });
      continue;
    }
    try {
      files.push({ file, kind, document: parseFile(text, form) });
    } catch (error) {
      if (!(error instanceof ContentFileError)) throw error;
      const { line, reason } = error;
      problems.push({ file, line, reason: label === undefined ? reason : `${reason} (in ${label})` });
    }
  }
  return { files, problems };
}

/** Content of a folder in an earlier format, converted to content files. */
import type { ContentType } from "../../../engine/schema/model.ts";
import { ProjectError } from "../../../lib/errors.ts";
import { readProjectJson } from "../../../lib/project-json.ts";
import type { ContentFile } from "../content-file.ts";
import { CONTENT_FOLDER } from "../file-paths.ts";
import { formatPath } from "../paths.ts";

export interface EarlierDocument {
  readonly type: ContentType;
  /** Of its file, without extension. */
  readonly name: string;
  readonly file: ContentFile;
  readonly origin: Origin;
}

/** Where a document comes from, for messages. */
export interface Origin {
  readonly file: string;
  /** Of an entry in a list. */
  readonly key: string | undefined;
  /** What the file has above the attributes of the default locale: `data`. */
  readonly top: readonly string[];
}

export interface EarlierMedia {
  /** Below the folder of media. */
  readonly path: string;
  /** Its file. */
  readonly source: string;
  readonly texts: ContentFile;
}

/** The locales of a project. */
export interface Locales {
  /** Undefined: any, since Strapi also has documents in locales that were deleted. */
  readonly codes?: ReadonlySet<string>;
  readonly defaultLocale: string;
}

export interface EarlierContent {
  readonly documents: readonly EarlierDocument[];
  readonly media: readonly EarlierMedia[];
  /** Paths below the folder of everything that has been converted. */
  readonly files: readonly string[];
  /** What is not converted, as messages. */
  readonly warnings: readonly string[];
}

/** `path`: below the folder. Throws a ProjectError that names it. */
export function readContentJson(folder: string, path: string): unknown {
  try {
    return readProjectJson(folder, path);
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    throw new ProjectError(error.problems.map((problem) => ({ ...problem, file: `${CONTENT_FOLDER}/${path}` })));
  }
}

/** The key of a problem in messages, where its path is that in the converted file. */
export function keyIn({ key, top }: Origin, path: readonly (string | number)[]): string {
  const [first, locale, ...rest] = path;
  const inFile = first === "$locales" ? ["locales", String(locale), ...rest] : [...top, ...path];
  return [key, formatPath(inFile.filter((part) => part !== "$published"))].filter(Boolean).join(": ");
}

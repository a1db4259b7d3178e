/**
 * Media of content files: all files below `content/media`, with texts from `content/media/index.json`. Storing them is left to a
 * media library.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf, ProjectError } from "../../lib/errors.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { CONTENT_FOLDER } from "./entries.ts";

export interface MediaSource {
  readonly path: string;
  /** File name, which becomes the name of the record. */
  readonly name: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
}

/** The operations of a media library that the loader needs. */
export interface MediaLibrary<Prepared = unknown> {
  /** Prepares a file and its formats without creating a record. Rejects for a file that the library refuses. */
  prepareFrom(path: string, texts: Omit<MediaSource, "path">): Promise<Prepared>;
  /** Stores prepared files and runs `work` with their ids in one transaction. */
  store<T>(files: readonly Prepared[], work: (ids: readonly number[]) => T): T;
  /** Removes prepared files that are not stored. */
  discard(files: readonly Prepared[]): void;
}

const MEDIA_FOLDER = `${CONTENT_FOLDER}/media`;
const INDEX = "index.json";

const Texts = Type.Object(
  { alternativeText: Type.Optional(Type.String()), caption: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
const Index = Type.Record(Type.String(), Texts);

function readIndex(root: string): Static<typeof Index> {
  const file = `${MEDIA_FOLDER}/${INDEX}`;
  if (!existsSync(join(root, file))) return {};
  const content = readProjectJson(root, file);
  const error = Value.Errors(Index, content).First();
  if (!error) return content as Static<typeof Index>;
  throw new ProjectError(file, error.path.slice(1).replaceAll("/", ".") || undefined, error.message.toLowerCase());
}

function listFiles(root: string): string[] {
  const folder = join(root, MEDIA_FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((name) => name !== INDEX)
    .sort();
}

/** The files by the names that entries use, which are paths below the folder. Throws a ProjectError. */
export function readMedia(root: string): ReadonlyMap<string, MediaSource> {
  const index = readIndex(root);
  const names = listFiles(root);
  const missing = Object.keys(index).find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new ProjectError(`${MEDIA_FOLDER}/${INDEX}`, missing, `there is no such file below ${MEDIA_FOLDER}`);
  return new Map(
    names.map((name) => {
      const { alternativeText = null, caption = null } = index[name] ?? {};
      return [name, { path: join(root, MEDIA_FOLDER, name), name: basename(name), alternativeText, caption }];
    }),
  );
}

/**
 * Prepares all files, then stores them and runs `work` with their ids by name, in one transaction. Rejects with a ProjectError that
 * names the first refused file, or with the error of `work`; nothing is stored then.
 */
export async function storeMedia<Prepared, T>(
  library: MediaLibrary<Prepared>,
  sources: ReadonlyMap<string, MediaSource>,
  work: (ids: ReadonlyMap<string, number>) => T,
): Promise<T> {
  const names = [...sources.keys()];
  const results = await Promise.allSettled(
    [...sources.values()].map(({ path, ...texts }) => library.prepareFrom(path, texts)),
  );
  const prepared = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  for (const [index, result] of results.entries()) {
    if (result.status === "fulfilled") continue;
    library.discard(prepared);
    throw new ProjectError(`${MEDIA_FOLDER}/${names[index]}`, undefined, messageOf(result.reason));
  }
  return library.store(prepared, (ids) => work(new Map(names.map((name, index) => [name, ids[index]!]))));
}

/**
 * The media of a project's content: every file below `content/media`, with texts from `content/media/index.json`. Storing
 * them is the media library's work; it is given to the loader.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ProjectError } from "../errors.ts";
import { CONTENT_FOLDER } from "./entries.ts";

export interface MediaSource {
  readonly path: string;
  /** The name of the file record: the file's own. */
  readonly name: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
}

/** A file that is on its way into the media library. */
export interface PreparedFile {
  /** Writes the file's record and answers its id; called inside the loader's transaction. */
  insert(): number;
  /** Takes back what was put on disk; called when nothing is loaded after all. */
  discard(): Promise<void> | void;
}

/** Puts a file in place without a record of it. */
export type PrepareFile = (source: MediaSource) => Promise<PreparedFile>;

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
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(root, file), "utf8"));
  } catch (cause) {
    throw new ProjectError(file, undefined, `is not valid JSON (${(cause as Error).message})`);
  }
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

/** The files by the names that entries use: their paths below the folder. Throws a ProjectError. */
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

const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));

/** Takes files back because of `cause`, which stays the first error even where that fails. */
async function discard(files: Iterable<PreparedFile>, cause?: unknown): Promise<void> {
  const results = await Promise.allSettled([...files].map(async (file) => file.discard()));
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, "Unused files could not be taken back", { cause });
}

/** Prepares all of the files, or throws a ProjectError that names the first that failed. */
async function prepare(
  sources: ReadonlyMap<string, MediaSource>,
  prepareFile: PrepareFile,
): Promise<ReadonlyMap<string, PreparedFile>> {
  const names = [...sources.keys()];
  const results = await Promise.allSettled([...sources.values()].map(prepareFile));
  const files = new Map<string, PreparedFile>();
  let error: ProjectError | undefined;
  for (const [index, result] of results.entries()) {
    if (result.status === "fulfilled") files.set(names[index]!, result.value);
    else error ??= new ProjectError(`${MEDIA_FOLDER}/${names[index]}`, undefined, messageOf(result.reason));
  }
  if (!error) return files;
  await discard(files.values(), error);
  throw error;
}

/** Runs `work` with every file prepared; they are taken back when it throws, or answers undefined for using none. */
export async function withMedia<T>(
  sources: ReadonlyMap<string, MediaSource>,
  prepareFile: PrepareFile | undefined,
  work: (files: ReadonlyMap<string, PreparedFile>) => T,
): Promise<T> {
  if (sources.size === 0) return work(new Map());
  if (!prepareFile) throw new ProjectError(MEDIA_FOLDER, undefined, "holds files, but there is no media library here");
  const files = await prepare(sources, prepareFile);
  let result: T;
  try {
    result = work(files);
  } catch (error) {
    await discard(files.values(), error);
    throw error;
  }
  if (result === undefined) await discard(files.values());
  return result;
}

/** Reads what has changed in the files of documents since the last synchronisation. */
import type { ContentType } from "../../engine/schema/model.ts";
import { inTurns } from "../../lib/in-turns.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { hashContent } from "../../transfer/content/digest.ts";
import { ContentFileError } from "../../transfer/content/file-error.ts";
import { EXTENSIONS } from "../../transfer/content/file-kinds.ts";
import { formOf, MEDIA_FOLDER, nameOf } from "../../transfer/content/file-paths.ts";
import { lineOfKey, parseFile } from "../../transfer/content/file-text.ts";
import { withExpectedTop } from "../../transfer/content/version-states.ts";
import { type ContentFolder, MAX_FILE_BYTES, type SomeFiles, stampToStore } from "./folder.ts";
import type { FileProblem } from "./problems.ts";
import { type FileStamp, isSameStamp, type SyncedFile, type SyncState } from "./state.ts";

/** A file that is new or different. */
export interface ChangedFile extends ReadText {
  readonly file: ContentFile;
  /** Of the document; undefined: to be generated. */
  readonly documentId: string | undefined;
  /** What was known of the document, under this path or an earlier one. */
  readonly known: SyncedFile | undefined;
}

export interface FileChanges {
  readonly changed: readonly ChangedFile[];
  /** Files that are gone, with their documents. */
  readonly removed: readonly SyncedFile[];
  /** The same bytes with another time. */
  readonly touched: readonly (FileStamp & { readonly path: string })[];
  readonly problems: readonly FileProblem[];
}

/** As the ids that are generated, and others that are safe in URLs. */
const isDocumentId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

/** Files that are read before others get a turn. */
const BATCH = 200;

/** What bytes are read as that are not UTF-8; texts may have it, too. */
const UNREADABLE = "\u{fffd}";

interface ReadText extends FileStamp {
  readonly path: string;
  readonly type: ContentType;
  readonly text: string;
  readonly digest: string;
}

/** `paths`: what was listed; undefined if it was all. */
export async function readChanges(
  folder: ContentFolder,
  state: SyncState,
  { documents, strays }: SomeFiles,
  defaultLocale: string,
  paths?: ReadonlySet<string>,
): Promise<FileChanges> {
  const stamps = paths ? state.stampsOf(paths) : await inTurns(state.stamps());
  const different = [...documents].filter(([path, stamp]) => {
    const known = stamps.get(path);
    return !known || !isSameStamp(known, stamp);
  });
  const problems: FileProblem[] = [];
  const texts: ReadText[] = [];
  for (const [index, [path, { type, ...stamp }]] of different.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve));
    if (stamp.size > MAX_FILE_BYTES) {
      problems.push({ file: path, reason: `is larger than ${MAX_FILE_BYTES / 1_000_000} MB` });
      continue;
    }
    const text = folder.read(path);
    if (text?.includes(UNREADABLE) && !folder.isUtf8(path)) {
      problems.push({ file: path, reason: "is not in UTF-8, with which content files are read" });
      continue;
    }
    // removed in the meantime: the next pass sees it
    if (text !== undefined) texts.push({ path, type, ...stampToStore(stamp), text, digest: hashContent(text) });
  }
  const known = state.files(texts.map(({ path }) => path));
  const touched = texts.filter(({ path, digest }) => known.get(path)?.digest === digest);
  const parsed = texts
    .filter(({ path, digest }) => known.get(path)?.digest !== digest)
    .flatMap((text) => parse(text, known.get(text.path), defaultLocale, problems));
  // a link in the place of a file or its folder does not delete it, nor does a type that is gone
  const isStray = (path: string): boolean =>
    strays.some(({ file }) => path === file || path.startsWith(file.endsWith("/") ? file : `${file}/`));
  const gone = [...stamps.keys()].filter(
    (path) => !documents.has(path) && !path.startsWith(`${MEDIA_FOLDER}/`) && !isStray(path),
  );
  const isThere = (path: string): boolean =>
    documents.has(path) || (paths !== undefined && !paths.has(path) && folder.stamp(path) !== undefined);
  const named = parsed.filter(({ path }) => {
    const other = EXTENSIONS.map((extension) => nameOf(path) + extension).find((at) => at !== path && isThere(at));
    if (other !== undefined)
      problems.push({ file: path, reason: `has the name of ${other} in links; give it another` });
    return other === undefined;
  });
  return withIds(state, isThere, named, state.files(gone), { touched, problems });
}

function parse(
  text: ReadText,
  known: SyncedFile | undefined,
  defaultLocale: string,
  problems: FileProblem[],
): ChangedFile[] {
  const form = formOf(text.type, text.path);
  try {
    const said = parseFile(text.text, form);
    const top = said.$locale ?? defaultLocale;
    if (text.type.localized && said.$locales?.[top]) {
      const path = ["$locales", top];
      const reason = `is the locale at the top of the file: its values stand there, not below $locales`;
      problems.push({ file: text.path, line: lineOfKey(text.text, form, path), key: path.join("."), reason });
      return [];
    }
    const file = withExpectedTop(text.type, said, defaultLocale);
    const id = file.$id ?? (known?.uid === text.type.uid ? known.documentId : undefined);
    if (id !== undefined && !isDocumentId(id)) {
      problems.push({ file: text.path, key: "$id", reason: "is not a valid document id" });
      return [];
    }
    return [{ ...text, file, documentId: id, known }];
  } catch (error) {
    if (!(error instanceof ContentFileError)) throw error;
    problems.push({ file: text.path, line: error.line, reason: error.reason });
    return [];
  }
}

/** Finds renamed files and ids that are used twice. */
function withIds(
  state: SyncState,
  isThere: (path: string) => boolean,
  parsed: readonly ChangedFile[],
  gone: ReadonlyMap<string, SyncedFile>,
  { touched, problems }: { readonly touched: FileChanges["touched"]; readonly problems: FileProblem[] },
): FileChanges {
  const removed = new Map(gone);
  const owners = new Map<string, string>();
  const changed: ChangedFile[] = [];
  const replaced = new Set(parsed.map(({ path }) => path));
  for (const item of parsed) {
    const { path, type, documentId } = item;
    if (documentId === undefined) {
      changed.push(item);
      continue;
    }
    const key = `${type.uid} ${documentId}`;
    const earlier = state.findPath(type.uid, documentId);
    const isElsewhere = earlier !== undefined && earlier !== path && isThere(earlier) && !replaced.has(earlier);
    const other = isElsewhere ? earlier : owners.get(key);
    if (other !== undefined) {
      problems.push({
        file: path,
        key: "$id",
        reason: `is the id of ${other}; without it, the file is another document`,
      });
      continue;
    }
    owners.set(key, path);
    if (earlier !== undefined) removed.delete(earlier);
    changed.push(
      earlier === undefined ? { ...item, known: undefined } : { ...item, known: state.files([earlier]).get(earlier) },
    );
  }
  // the document of a file that now has another id
  for (const { path, known } of parsed)
    if (known && !owners.has(`${known.uid} ${known.documentId}`)) removed.set(path, known);
  return { changed, removed: [...removed.values()], touched, problems };
}

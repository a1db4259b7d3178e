/** What is different below `content/` since the last commit, in terms of documents. */
import { basename } from "node:path";
import { findMainField } from "../../admin/content-manager/main-field.ts";
import type { ContentType, Model } from "../../engine/schema/model.ts";
import { filledString } from "../../lib/coerce.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import type { Difference } from "../../transfer/content/diff.ts";
import { findKind } from "../../transfer/content/file-kinds.ts";
import type { GitChanges, UncommittedDocument } from "../../ui/content-changes/answers.ts";
import { compareSides, type DocumentDifference, type Side } from "../content-diff/compare.ts";
import { createTypeFinder, readTexts } from "../content-diff/text-side.ts";
import { type ContentFolder, MAX_FILE_BYTES } from "../content-sync/folder.ts";
import type { SyncState } from "../content-sync/state.ts";
import type { Repository } from "./repository.ts";
import { MAX_DIFFERENCES, shownDifference } from "./shown-differences.ts";

const MAX_DOCUMENTS = 200;
const MAX_FILES = 50;
/** What a synchronisation adds to files that people have made. */
const COMPLETED = new Set(["$id", "$createdAt", "$publishedAt"]);

export interface UncommittedSource {
  readonly model: Model;
  readonly folder: ContentFolder;
  readonly state: SyncState;
  readonly repository: Repository;
}

type TypeOf = (path: string) => ContentType | undefined;
type Texts = ReadonlyMap<string, string>;

/** Rejects with a GitError. */
export async function uncommittedIn({ model, folder, state, repository }: UncommittedSource): Promise<GitChanges> {
  const typeOf = documentTypes(model);
  const paths = (await repository.uncommitted()).map(({ file }) => file);
  const [ofDocuments, others] = [true, false].map((isDocument) =>
    paths.filter((path) => (typeOf(path) !== undefined) === isDocument),
  ) as [string[], string[]];
  const shown = ofDocuments.slice(0, MAX_DOCUMENTS);
  const committed = textsOf(shown, await repository.committed(shown));
  const current = textsOf(shown, new Map(shown.map((path) => [path, folder.stamp(path) && folder.read(path)])));
  const known = state.exists ? state.files(shown) : new Map<string, { readonly documentId: string }>();
  const documents = compared(model, typeOf, committed, current).map((document) => ({
    ...document,
    documentId: (document.kind === "removed" ? undefined : known.get(document.path)?.documentId) ?? document.documentId,
  }));
  return {
    hasCommits: repository.hasCommits,
    documents,
    total: documents.length + ofDocuments.length - shown.length,
    files: others.slice(0, MAX_FILES),
    fileTotal: others.length,
  };
}

function documentTypes(model: Model): TypeOf {
  const typeOf = createTypeFinder(model);
  return (path) => (findKind(path) === undefined || basename(path).startsWith(".") ? undefined : typeOf(path));
}

function textsOf(paths: readonly string[], contents: ReadonlyMap<string, Buffer | string | undefined>): Texts {
  const texts = paths.flatMap((path): [string, string][] => {
    const content = contents.get(path);
    return content === undefined ? [] : [[path, content.toString()]];
  });
  return new Map(texts);
}

function compared(model: Model, typeOf: TypeOf, committed: Texts, current: Texts): UncommittedDocument[] {
  const isSame = (path: string): boolean => committed.get(path) === current.get(path);
  const isLarge = (path: string): boolean =>
    [committed, current].some((texts) => (texts.get(path)?.length ?? 0) > MAX_FILE_BYTES);
  const paths = [...new Set([...committed.keys(), ...current.keys()])].filter((path) => !isSame(path));
  const read = (texts: Texts): Side =>
    readTexts(
      model,
      [...texts].filter(([path]) => !isSame(path) && !isLarge(path)),
    );
  const [before, after] = [read(committed), read(current)];
  const files = new Map([...before.files, ...after.files].map(({ file, document }) => [file, document]));
  const unreadable = new Set([
    ...paths.filter(isLarge),
    ...[...before.problems, ...after.problems].map(({ file }) => file),
  ]);
  const changes = compareSides(before, after).filter(({ file }) => !unreadable.has(file));
  const replaced = new Set(changes.map(({ previousFile }) => previousFile));
  const byPath = new Map(changes.map((change) => [change.file, change]));
  return paths.sort().flatMap((path): UncommittedDocument[] => {
    const type = typeOf(path)!;
    const change = byPath.get(path);
    if (!change && replaced.has(path)) return [];
    const described = describe(type, path, files.get(path), change);
    const kind = change ? kindOfChange[change.change] : kindOfFile(committed.has(path), current.has(path));
    return [{ ...described, kind, ...(unreadable.has(path) && { isUnreadable: true }) }];
  });
}

const kindOfChange = { added: "added", changed: "changed", renamed: "changed", removed: "removed" } as const;

const kindOfFile = (isCommitted: boolean, isThere: boolean): UncommittedDocument["kind"] =>
  isCommitted && isThere ? "changed" : isThere ? "added" : "removed";

/** `change` is undefined where nothing that a document says has changed. */
function describe(
  type: ContentType,
  path: string,
  file: ContentFile | undefined,
  change: DocumentDifference | undefined,
): Omit<UncommittedDocument, "kind"> {
  const title = file?.[findMainField(type)];
  const isWhole = change?.change === "added" || change?.change === "removed";
  const differences = isWhole ? [] : (change?.differences ?? []);
  return {
    path,
    ...(change?.previousFile !== undefined && { formerPath: change.previousFile }),
    uid: type.uid,
    documentId: file?.$id,
    title: filledString(title),
    differences: differences.slice(0, MAX_DIFFERENCES).map(shownDifference),
    more: Math.max(0, differences.length - MAX_DIFFERENCES),
    ...(isCompletion(differences) && { isCompletion: true }),
  };
}

const isCompletion = (differences: readonly Difference[]): boolean =>
  differences.length > 0 &&
  differences.every(
    ({ path, before }) => before === undefined && path.length === 1 && COMPLETED.has(path[0] as string),
  );

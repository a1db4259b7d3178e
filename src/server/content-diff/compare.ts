/** Differences between the documents of two sides: commits, the working files, an archive, a running server. */
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { type Difference, diffFiles } from "../../transfer/content/diff.ts";
import type { FileProblem } from "../content-sync/problems.ts";

export interface SideFile {
  /** Below `content/`. */
  readonly file: string;
  /** Uid of the content-type, or what else distinguishes documents with the same id. */
  readonly kind: string;
  /** Undefined for the bytes of media, which are only compared as a whole. */
  readonly document: ContentFile | undefined;
}

export interface Side {
  readonly files: readonly SideFile[];
  /** Of files that cannot be read, which are not compared. */
  readonly problems: readonly FileProblem[];
}

export interface DocumentDifference {
  readonly file: string;
  /** Of a renamed file. */
  readonly previousFile?: string;
  readonly documentId?: string;
  readonly change: "added" | "changed" | "renamed" | "removed";
  readonly differences: readonly Difference[];
}

type DiffDocuments = (before: SideFile, after: SideFile) => readonly Difference[];

const diffWhole: DiffDocuments = ({ document: before }, { document: after }) =>
  before && after ? diffFiles(before, after) : [];

const keysOf = ({ kind, document }: SideFile): string[] =>
  document?.$id === undefined ? [] : [`${kind} ${document.$id}`];

/** Documents are the same if they have the same id, else if they have the same path. */
export function compareSides(before: Side, after: Side, diff: DiffDocuments = diffWhole): DocumentDifference[] {
  const unreadable = new Set([...before.problems, ...after.problems].map(({ file }) => file));
  const [old, now] = [before, after].map(({ files }) => files.filter(({ file }) => !unreadable.has(file)));
  const byId = new Map(old!.flatMap((file) => keysOf(file).map((key) => [key, file])));
  const unmatched = new Set(old);
  const pairs = new Map<SideFile, SideFile>();
  const match = (file: SideFile, found: SideFile | undefined): void => {
    if (!found || !unmatched.delete(found)) return;
    pairs.set(file, found);
  };
  for (const file of now!) for (const key of keysOf(file)) match(file, byId.get(key));
  const byPath = new Map([...unmatched].map((file) => [file.file, file]));
  for (const file of now!) if (!pairs.has(file)) match(file, byPath.get(file.file));
  return [
    ...now!.flatMap((file) => compareFile(pairs.get(file), file, diff)),
    ...[...unmatched].map((file) => describe(file, "removed", [])),
  ].toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

const describe = (
  { file, document }: SideFile,
  change: DocumentDifference["change"],
  differences: readonly Difference[],
): DocumentDifference => ({
  file,
  ...(document?.$id === undefined ? {} : { documentId: document.$id }),
  change,
  differences,
});

function compareFile(before: SideFile | undefined, after: SideFile, diff: DiffDocuments): DocumentDifference[] {
  if (!before) return [describe(after, "added", [])];
  const differences = diff(before, after);
  if (before.file !== after.file) return [{ ...describe(after, "renamed", differences), previousFile: before.file }];
  // of media, only those are here whose bytes differ
  return differences.length > 0 || !after.document ? [describe(after, "changed", differences)] : [];
}

/** What the server says of changed files below `content/`. */

export type Place = readonly (string | number)[];

export interface ShownDifference {
  /** As in the format of content files: `$published.title`, `$locales.de`. */
  readonly path: Place;
  /** Left out: no value, or not there. Long values are cut. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Of a draft's value: the published version has changed in the same way. */
  readonly isPublished?: true;
  /** Of a list, instead of its values. */
  readonly entries?: ShownEntries;
}

export interface ShownEntries {
  readonly added: readonly ShownEntry[];
  readonly removed: readonly ShownEntry[];
  readonly moved: readonly { readonly from: number; readonly to: number; readonly value: unknown }[];
  readonly changed: readonly {
    readonly from: number;
    readonly to: number;
    readonly differences: readonly ShownDifference[];
  }[];
  /** Number of those that are left out. */
  readonly more: number;
}

export interface ShownEntry {
  readonly index: number;
  readonly value: unknown;
}

export interface UncommittedDocument {
  /** Below `content/`. */
  readonly path: string;
  /** In the last commit, if that was another one. */
  readonly formerPath?: string;
  readonly uid: string;
  /** Undefined for a file without an id that is not valid. */
  readonly documentId?: string | undefined;
  readonly title?: string | undefined;
  readonly kind: "added" | "changed" | "removed";
  /** Of a changed document. Empty: only comments or the order of keys have changed. */
  readonly differences: readonly ShownDifference[];
  /** Number of differences that are left out. */
  readonly more: number;
  /** The file, or that of the last commit, cannot be read. */
  readonly isUnreadable?: true;
  /** All that has changed are ids and times that the server writes into files that people made. */
  readonly isCompletion?: true;
}

export interface GitChanges {
  /** Without commits, there is nothing to discard to. */
  readonly hasCommits: boolean;
  /** The first of them. */
  readonly documents: readonly UncommittedDocument[];
  /** Number of all documents. */
  readonly total: number;
  /** Paths of the first other files, such as media. */
  readonly files: readonly string[];
  readonly fileTotal: number;
}

export interface ChangedDocument {
  readonly uid: string;
  readonly documentId: string;
}

export interface FileProblem extends Partial<ChangedDocument> {
  /** Below `content/`. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly key?: string | undefined;
  readonly reason: string;
}

export interface Conflict extends ChangedDocument {
  readonly file: string;
  readonly title?: string | undefined;
  readonly attributes: readonly Place[];
}

export interface ContentChanges {
  /** Whether changes of the database are written into the files. */
  readonly writes: boolean;
  /** What git has to finish before anything is synchronised. */
  readonly waitsFor?: string | undefined;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly conflicts: readonly Conflict[];
  /** Undefined without git or a repository. */
  readonly git?: GitChanges | undefined;
  /** Why git did not answer. */
  readonly gitProblem?: string | undefined;
}

/** For the navigation and the pages of documents. */
export interface ChangesSummary extends Pick<ContentChanges, "problems" | "conflicts"> {
  /** Undefined without git or a repository. */
  readonly uncommitted?: number | undefined;
}

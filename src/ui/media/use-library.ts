/** What the media library shows for its URL: a folder with its files, a search, or the unused files. */
import { useAnswer } from "../api/use-answer.ts";
import { type Folder, type FolderNode, trailTo } from "./folders.ts";
import { fileParams, folderParams, type LibraryQuery } from "./library-query.ts";
import type { MediaFile } from "./media-files.ts";

interface FilePage {
  readonly results: readonly MediaFile[];
  readonly pagination: { readonly total: number; readonly pageCount: number };
}

export interface Library {
  /** The open folder; undefined at the top, and until it is loaded. */
  readonly current: Folder | undefined;
  /** From the top to the open folder. */
  readonly trail: readonly FolderNode[];
  readonly folders: readonly Folder[];
  readonly files: readonly MediaFile[];
  /** The number of files on all pages; undefined until they are loaded. */
  readonly total: number | undefined;
  readonly isLoading: boolean;
  /** Nothing has come that could be shown. */
  readonly isWaiting: boolean;
  readonly isEmpty: boolean;
  readonly problem: string | undefined;
  readonly reload: () => void;
}

export function useLibrary(query: LibraryQuery): Library {
  const { folder } = query;
  const structure = useAnswer<{ data: readonly FolderNode[] }>("/upload/folder-structure");
  const own = useAnswer<{ data: Folder }>(folder === undefined ? undefined : `/upload/folders/${folder}`);
  // the response may still be that of another folder
  const current = folder === undefined || own.data?.data.id !== folder ? undefined : own.data.data;
  const path = folder === undefined ? "/" : current?.path;
  const canList = path !== undefined || query.isUnused;
  const files = useAnswer<FilePage>(
    canList ? (query.isUnused ? "/files/unused" : "/upload/files") : undefined,
    fileParams(query, path ?? "/"),
  );
  const hasFolders = path !== undefined && !query.isUnused && query.kind === undefined && query.page === 1;
  const folders = useAnswer<{ data: readonly Folder[] }>(
    hasFolders ? "/upload/folders" : undefined,
    folderParams(query, path ?? "/"),
  );
  const shownFolders = hasFolders ? (folders.data?.data ?? []) : [];
  const shownFiles = files.data?.results ?? [];
  const hasCome = files.data !== undefined && (!hasFolders || folders.data !== undefined);
  const hasNone = shownFiles.length === 0 && shownFolders.length === 0;
  const problem = own.problem ?? files.problem ?? folders.problem;
  return {
    current,
    trail: folder === undefined ? [] : trailTo(structure.data?.data ?? [], folder),
    folders: shownFolders,
    files: shownFiles,
    total: files.data?.pagination.total,
    isLoading: files.isLoading,
    isWaiting: hasNone && !hasCome && problem === undefined,
    isEmpty: hasNone && hasCome,
    problem,
    reload: () => {
      for (const answer of [files, folders, structure, own]) answer.reload();
    },
  };
}

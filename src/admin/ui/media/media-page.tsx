/** The media library: folders, files and uploads. All of its state is in the URL. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { Selection } from "../list/selection.ts";
import { hrefTo, route, setParams } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { FileDetails } from "./file-details.tsx";
import { FolderDialog } from "./folder-dialog.tsx";
import { type Folder, type FolderNode, trailTo } from "./folders.ts";
import { Grid } from "./grid.tsx";
import {
  fileParams,
  folderParams,
  kinds,
  type LibraryQuery,
  PAGE_SIZE,
  readLibraryQuery,
  sorts,
} from "./library-query.ts";
import type { MediaFile } from "./media-files.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { UploadList } from "./upload-list.tsx";
import { addUploads } from "./uploads.ts";

interface FilePage {
  readonly results: readonly MediaFile[];
  readonly pagination: { readonly total: number; readonly pageCount: number };
}

/** Changes parameters of the list, and goes back to its first page. */
const setListParams = (changes: Record<string, string | undefined>): void => setParams({ ...changes, page: undefined });

function Trail({ nodes }: { readonly nodes: readonly FolderNode[] }) {
  return (
    <nav aria-label="Parent folders">
      <ol class="breadcrumbs">
        <li>{nodes.length === 0 ? <h1>Media library</h1> : <a href={hrefTo("media")}>Media library</a>}</li>
        {nodes.map(({ id, name }, index) => (
          <li key={id}>
            {index === nodes.length - 1 ? (
              <h1>{name}</h1>
            ) : (
              <a href={hrefTo("media", [], { folder: String(id) })}>{name}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Tools({ query }: { readonly query: LibraryQuery }) {
  return (
    <div class="toolbar">
      <SearchField value={query.search} onChange={(q) => setParams({ q, page: undefined }, { replace: true })} />
      {query.isUnused ? null : (
        <>
          <ImmediateSelect
            label="Kind"
            value={query.kind ?? ""}
            options={[["", "Every kind"], ...Object.entries(kinds)]}
            onChoose={(kind) => setListParams({ kind })}
          />
          <ImmediateSelect
            label="Order"
            value={query.sort}
            options={Object.entries(sorts)}
            onChoose={(sort) => setListParams({ sort })}
          />
        </>
      )}
      <button
        type="button"
        class="button"
        aria-pressed={query.isUnused}
        onClick={() => setListParams({ show: query.isUnused ? undefined : "unused" })}
      >
        Unused files
      </button>
    </div>
  );
}

function Paging({ page, pageCount }: { readonly page: number; readonly pageCount: number }) {
  if (pageCount <= 1 && page === 1) return null;
  const to = (number: number): void => setParams({ page: number === 1 ? undefined : String(number) });
  return (
    <nav class="paging" aria-label="Pages">
      <button type="button" class="button" disabled={page <= 1} onClick={() => to(Math.min(page - 1, pageCount))}>
        Previous
      </button>
      <span>
        Page {page} of {pageCount}
      </span>
      <button type="button" class="button" disabled={page >= pageCount} onClick={() => to(page + 1)}>
        Next
      </button>
    </nav>
  );
}

/** Handles files that are pasted anywhere on the page. */
function usePastedFiles(onFiles: (files: readonly File[]) => void): void {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      latest.current(files);
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
}

const emptyText = ({ search, kind, isUnused }: LibraryQuery): string => {
  if (isUnused) return search ? "No unused files match." : "Every file is used.";
  return search || kind ? "Nothing matches." : "Nothing here yet: drop files, paste them, or choose Upload.";
};

export function MediaPage() {
  const { search } = route.value;
  const query = useMemo(() => readLibraryQuery(search), [search]);
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
  const selection = useMemo(() => new Selection(), [folder, query.isUnused]);
  const [dialog, setDialog] = useState<"new" | "rename">();
  const [isDragOver, setIsDragOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const reload = (): void => {
    files.reload();
    folders.reload();
    structure.reload();
    own.reload();
  };
  const upload = (list: readonly File[]): void => addUploads(list, folder ?? null, reload);
  usePastedFiles(upload);
  const shownFolders = hasFolders ? (folders.data?.data ?? []) : [];
  const shownFiles = files.data?.results ?? [];
  const total = files.data?.pagination.total;
  const problem = own.problem ?? files.problem ?? folders.problem;
  const nodes = folder === undefined ? [] : trailTo(structure.data?.data ?? [], folder);
  const parent = nodes.at(-2)?.id ?? null;
  const isEmpty = files.data !== undefined && shownFiles.length === 0 && shownFolders.length === 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be chosen with the button, too
    <div
      class={isDragOver ? "media-page drop-target" : "media-page"}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsDragOver(false);
      }}
      onDrop={(event) => {
        setIsDragOver(false);
        const dropped = [...(event.dataTransfer?.files ?? [])];
        if (dropped.length === 0) return;
        event.preventDefault();
        upload(dropped);
      }}
    >
      <header class="page-head">
        <Trail nodes={nodes} />
        <span class="muted" role="status">
          {total === undefined ? "" : `${total.toLocaleString()} ${total === 1 ? "file" : "files"}`}
        </span>
        <div class="page-actions">
          {current ? (
            <button type="button" class="button" onClick={() => setDialog("rename")}>
              Rename
            </button>
          ) : null}
          <button type="button" class="button" onClick={() => setDialog("new")}>
            <Icon name="folder" />
            New folder
          </button>
          <button type="button" class="button button-primary" onClick={() => input.current?.click()}>
            <Icon name="add" />
            Upload
          </button>
          <input
            ref={input}
            type="file"
            multiple
            class="visually-hidden"
            tabIndex={-1}
            aria-label="Files to upload"
            onChange={({ currentTarget }) => {
              upload([...(currentTarget.files ?? [])]);
              currentTarget.value = "";
            }}
          />
        </div>
      </header>
      <Tools query={query} />
      {problem ? (
        <p class="page-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div class="media-body" aria-busy={files.isLoading}>
        {isEmpty ? (
          <div class="empty">
            <Icon name="media" />
            <p>{emptyText(query)}</p>
          </div>
        ) : null}
        <Grid folders={shownFolders} files={shownFiles} selection={selection} />
        <Paging page={query.page} pageCount={Math.ceil((total ?? 0) / PAGE_SIZE) || 1} />
      </div>
      <div class="media-foot">
        {selection.ids.size > 0 ? <SelectionBar selection={selection} onDone={reload} /> : null}
        <UploadList />
      </div>
      {query.file === undefined ? null : (
        <FileDetails
          key={query.file}
          id={query.file}
          onChange={reload}
          onClose={() => setParams({ file: undefined })}
          onDeleted={() => {
            setParams({ file: undefined });
            reload();
          }}
        />
      )}
      {dialog ? (
        <FolderDialog
          folder={dialog === "rename" ? current : undefined}
          parent={dialog === "rename" ? parent : (folder ?? null)}
          onSaved={() => {
            setDialog(undefined);
            reload();
          }}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </div>
  );
}

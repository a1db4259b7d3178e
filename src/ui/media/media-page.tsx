/** The media library: folders, files and uploads. All of its state is in the URL. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { countText } from "../count-text.ts";
import { Selection } from "../list/selection.ts";
import { hrefTo, route, setParams } from "../router.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { Select } from "../widgets/select.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { useFileInput } from "../widgets/use-file-input.tsx";
import { FileDetails } from "./file-details.tsx";
import { FolderDialog } from "./folder-dialog.tsx";
import type { FolderNode } from "./folders.ts";
import { Grid } from "./grid.tsx";
import { kinds, type LibraryQuery, PAGE_SIZE, readLibraryQuery, sorts } from "./library-query.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { UploadList } from "./upload-list.tsx";
import { addUploads } from "./uploads.ts";
import { type Library, useLibrary } from "./use-library.ts";

/** In the place of files that have not come yet. */
const WAITING_FILES = 8;

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
    <div class="row toolbar">
      <SearchField value={query.search} onChange={(q) => setParams({ q, page: undefined }, { replace: true })} />
      {query.isUnused ? null : (
        <>
          <Select
            label="Kind"
            value={query.kind ?? ""}
            options={[["", "Every kind"], ...Object.entries(kinds)]}
            onChoose={(kind) => setListParams({ kind })}
          />
          <Select
            label="Order"
            value={query.sort}
            options={Object.entries(sorts)}
            onChoose={(sort) => setListParams({ sort })}
          />
        </>
      )}
      <Button
        text="Unused files"
        aria-pressed={query.isUnused}
        onClick={() => setListParams({ show: query.isUnused ? undefined : "unused" })}
      />
    </div>
  );
}

function Paging({ page, pageCount }: { readonly page: number; readonly pageCount: number }) {
  const nav = useRef<HTMLElement>(null);
  const to = (number: number): void => {
    setParams({ page: number === 1 ? undefined : String(number) });
    // the first files of the page, not its last
    nav.current?.parentElement?.scrollIntoView();
  };
  return (
    <nav ref={nav} class="paging" aria-label="Pages">
      <Button text="Previous" disabled={page <= 1} onClick={() => to(Math.min(page - 1, pageCount))} />
      <span>
        Page {page} of {pageCount}
      </span>
      <Button text="Next" disabled={page >= pageCount} onClick={() => to(page + 1)} />
    </nav>
  );
}

const emptyText = ({ search, kind, isUnused }: LibraryQuery): string => {
  if (isUnused) return search ? "No unused files match." : "Every file is used.";
  return search || kind ? "Nothing matches." : "Nothing here yet: drop files, paste them, or choose Upload.";
};

/** Handles files that are dropped; `isOver` while they are held above the element. */
function useDroppedFiles(onFiles: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent): void => {
      if (!(currentTarget as Element).contains(relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop: (event: DragEvent): void => {
      setIsOver(false);
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (dropped.length === 0) return;
      event.preventDefault();
      onFiles(dropped);
    },
  };
  return { isOver, handlers };
}

interface HeadProps {
  readonly library: Library;
  readonly onFolder: (dialog: FolderDialogKind) => void;
  readonly onFiles: (files: readonly File[]) => void;
}

type FolderDialogKind = "new" | "rename";

function LibraryHead({ library: { trail, total, current }, onFolder, onFiles }: HeadProps) {
  const [input, chooseFiles] = useFileInput({ label: "Files to upload", isMultiple: true, onFiles });
  return (
    <header class="page-head">
      <Trail nodes={trail} />
      <span class="muted" role="status">
        {total === undefined ? "" : countText(total, "file")}
      </span>
      <div class="page-actions">
        {current ? <Button text="Rename" onClick={() => onFolder("rename")} /> : null}
        <Button icon="folder" text="New folder" onClick={() => onFolder("new")} />
        <Button kind="primary" icon="add" text="Upload" onClick={chooseFiles} />
        {input}
      </div>
    </header>
  );
}

export function MediaPage() {
  const { search } = route.value;
  const query = useMemo(() => readLibraryQuery(search), [search]);
  const { folder } = query;
  const library = useLibrary(query);
  const { current, trail, total, problem, reload } = library;
  const selection = useMemo(() => new Selection(), [folder, query.isUnused]);
  const [dialog, setDialog] = useState<FolderDialogKind>();
  const upload = (list: readonly File[]): void => addUploads(list, folder ?? null, reload);
  useDocumentEvent("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    upload(files);
  });
  const { isOver, handlers } = useDroppedFiles(upload);
  const pageCount = Math.ceil((total ?? 0) / PAGE_SIZE) || 1;
  const isBehindLast = total !== undefined && !library.isLoading && query.page > pageCount;
  // what was on it has been deleted or moved
  useEffect(() => {
    if (isBehindLast) setParams({ page: pageCount === 1 ? undefined : String(pageCount) }, { replace: true });
  }, [isBehindLast, pageCount]);
  const closeFile = (): void => setParams({ file: undefined });
  return (
    <div class={isOver ? "media-page drop-target" : "media-page"} {...handlers}>
      <LibraryHead library={library} onFolder={setDialog} onFiles={upload} />
      <Tools query={query} />
      <Alert class="page-problem" text={problem} retry={reload} />
      <div class="media-body" aria-busy={library.isLoading}>
        {library.isWaiting ? <SkeletonLines class="file-grid" count={WAITING_FILES} /> : null}
        {library.isEmpty ? <Empty icon="media" text={emptyText(query)} /> : null}
        <Grid folders={library.folders} files={library.files} selection={selection} />
        {pageCount > 1 || query.page > 1 ? <Paging page={query.page} pageCount={pageCount} /> : null}
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
          onClose={closeFile}
          onDeleted={() => {
            closeFile();
            reload();
          }}
        />
      )}
      {dialog ? (
        <FolderDialog
          folder={dialog === "rename" ? current : undefined}
          parent={dialog === "rename" ? (trail.at(-2)?.id ?? null) : (folder ?? null)}
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

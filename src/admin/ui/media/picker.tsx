/** The dialog that files are chosen in: a search, the library's images, and a place to drop new ones. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, messageOf } from "../api/client.ts";
import { Dialog } from "../widgets/dialog.tsx";
import { Icon } from "../widgets/icon.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { isAllowed, isImage, type MediaFile, thumbnailOf, uploadFiles } from "./media-files.ts";
import type { PickRequest } from "./pick-request.ts";

interface Page {
  readonly results: readonly MediaFile[];
  readonly pagination: { readonly total: number };
}

const PAGE_SIZE = 40;
const SETTLE_MS = 200;

export function Picker({ isMultiple, allowed, answer }: PickRequest) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly MediaFile[]>([]);
  const [total, setTotal] = useState<number>();
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<readonly MediaFile[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isUploading, setIsUploading] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const query = { page, pageSize: PAGE_SIZE, sort: "createdAt:DESC", _q: text || undefined };
        const found = await api.get<Page>("/upload/files", { query, signal: controller.signal });
        setFiles((before) => (page === 1 ? found.results : [...before, ...found.results]));
        setTotal(found.pagination.total);
        setProblem(undefined);
      } catch (error) {
        if ((error as Error).name !== "AbortError") setProblem(messageOf(error));
      }
    };
    const timer = setTimeout(load, page === 1 && text !== "" ? SETTLE_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, page]);

  const isChosen = ({ id }: MediaFile): boolean => chosen.some((file) => file.id === id);
  const toggle = (file: MediaFile): void => {
    if (!isMultiple) return answer([file]);
    setChosen(isChosen(file) ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file]);
  };
  const upload = async (list: readonly File[]): Promise<void> => {
    if (list.length === 0) return;
    setIsUploading(true);
    try {
      const uploaded = await uploadFiles(list);
      setFiles((before) => [...uploaded, ...before]);
      setTotal((before) => (before ?? 0) + uploaded.length);
      if (isMultiple) setChosen((before) => [...before, ...uploaded]);
      else if (uploaded[0]) answer([uploaded[0]]);
    } catch (error) {
      showProblem(error);
    } finally {
      setIsUploading(false);
    }
  };

  return (
    <Dialog
      title={isMultiple ? "Choose files" : "Choose a file"}
      shape="wide"
      onClose={() => answer(undefined)}
      actions={
        isMultiple ? (
          <button
            type="button"
            class="button button-primary"
            disabled={chosen.length === 0}
            onClick={() => answer(chosen)}
          >
            Use {chosen.length > 0 ? chosen.length : null} {chosen.length === 1 ? "file" : "files"}
          </button>
        ) : null
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be chosen with the button, too */}
      <div
        class="picker"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void upload([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <div class="picker-tools">
          <label class="search">
            <Icon name="search" />
            <input
              type="search"
              class="input"
              aria-label="Search files"
              placeholder="Search"
              value={text}
              onInput={({ currentTarget }) => {
                setPage(1);
                setText(currentTarget.value);
              }}
            />
          </label>
          <input
            ref={input}
            type="file"
            class="visually-hidden"
            tabIndex={-1}
            aria-label="Files to upload"
            multiple={isMultiple}
            onChange={({ currentTarget }) => {
              void upload([...(currentTarget.files ?? [])]);
              currentTarget.value = "";
            }}
          />
          <button type="button" class="button" disabled={isUploading} onClick={() => input.current?.click()}>
            <Icon name="add" />
            {isUploading ? "Uploading…" : "Upload"}
          </button>
        </div>
        {problem ? (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        ) : null}
        {total === 0 ? <p class="muted">{text === "" ? "No files yet: drop some here." : "No files match."}</p> : null}
        <ul class="picker-grid">
          {files.map((file) => (
            <li key={file.id}>
              <button
                type="button"
                class="picker-file"
                aria-pressed={isChosen(file)}
                disabled={!isAllowed(file, allowed)}
                onClick={() => toggle(file)}
              >
                {isImage(file) ? (
                  <img src={thumbnailOf(file)} alt="" loading="lazy" />
                ) : (
                  <span class="picker-icon">{(file.ext ?? "").replace(".", "") || <Icon name="documents" />}</span>
                )}
                <span class="picker-name">{file.name}</span>
              </button>
            </li>
          ))}
        </ul>
        {total !== undefined && files.length < total ? (
          <button type="button" class="button" onClick={() => setPage(page + 1)}>
            Show more
          </button>
        ) : null}
      </div>
    </Dialog>
  );
}

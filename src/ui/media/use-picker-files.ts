/** The files that a picker shows: a search in the library, page by page, and those that are uploaded meanwhile. */
import { useEffect, useState } from "preact/hooks";
import { api, errorMessage } from "../api/client.ts";
import type { MediaFile } from "./media-files.ts";

interface Page {
  readonly results: readonly MediaFile[];
  readonly pagination: { readonly total: number };
}

const PAGE_SIZE = 40;
const SETTLE_MS = 200;

/** Pages overlap once files have been uploaded. */
const joined = (first: readonly MediaFile[], second: readonly MediaFile[]): readonly MediaFile[] => [
  ...first,
  ...second.filter(({ id }) => !first.some((file) => file.id === id)),
];

export interface PickerFiles {
  readonly text: string;
  readonly search: (text: string) => void;
  readonly files: readonly MediaFile[];
  /** Undefined until the first page is loaded. */
  readonly total: number | undefined;
  readonly problem: string | undefined;
  readonly showMore: () => void;
  readonly addUploaded: (uploaded: readonly MediaFile[]) => void;
}

export function usePickerFiles(): PickerFiles {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly MediaFile[]>([]);
  const [total, setTotal] = useState<number>();
  const [page, setPage] = useState(1);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const query = { page, pageSize: PAGE_SIZE, sort: "createdAt:DESC", _q: text || undefined };
        const found = await api.get<Page>("/upload/files", { query, signal: controller.signal });
        setFiles((before) => (page === 1 ? found.results : joined(before, found.results)));
        setTotal(found.pagination.total);
        setProblem(undefined);
      } catch (error) {
        if ((error as Error).name !== "AbortError") setProblem(errorMessage(error));
      }
    };
    const timer = setTimeout(load, page === 1 && text !== "" ? SETTLE_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, page]);
  return {
    text,
    search: (wanted) => {
      setPage(1);
      setText(wanted);
    },
    files,
    total,
    problem,
    showMore: () => setPage(page + 1),
    addUploaded: (uploaded) => {
      setFiles((before) => joined(uploaded, before));
      setTotal((before) => (before ?? 0) + uploaded.length);
    },
  };
}

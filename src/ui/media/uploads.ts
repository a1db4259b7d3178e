/** Uploads continue on other pages. Each file is its own request, so that an error concerns one file only. */
import { signal } from "@preact/signals";
import { errorMessage } from "../api/client.ts";
import { type Upload, upload } from "../api/upload.ts";
import { showDone } from "../widgets/toasts.tsx";
import type { MediaFile } from "./media-files.ts";

export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly state: "queued" | "sending" | "done" | "failed";
  /** From 0 to 1. */
  readonly part: number;
  readonly problem?: string | undefined;
}

interface Task {
  readonly id: number;
  readonly path: string;
  readonly form: FormData;
  readonly onDone: (file: MediaFile) => void;
}

/** Requests at a time. */
const CONCURRENCY = 2;

export const uploads = signal<readonly UploadItem[]>([]);
const queue: Task[] = [];
const running = new Map<number, Upload<unknown>>();
/** What failed and is still listed. */
const failed = new Map<number, Task>();
let lastId = 0;

function change(id: number, changes: Partial<UploadItem>): void {
  uploads.value = uploads.value.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

function next(): void {
  const task = running.size < CONCURRENCY ? queue.shift() : undefined;
  if (!task) return;
  void run(task);
  next();
}

/** Once nothing is under way, only what failed stays listed. */
function settle(): void {
  if (running.size > 0 || queue.length > 0) return;
  const done = uploads.value.filter(({ state }) => state === "done");
  if (done.length === 0) return;
  uploads.value = uploads.value.filter(({ state }) => state === "failed");
  showDone(done.length === 1 ? `Uploaded ${done[0]?.name}` : `Uploaded ${done.length} files`);
}

async function run(task: Task): Promise<void> {
  const { id, path, form, onDone } = task;
  change(id, { state: "sending" });
  const current = upload<MediaFile | readonly MediaFile[]>(path, form, (part) => change(id, { part }));
  running.set(id, current);
  try {
    const [file] = [await current.done].flat() as MediaFile[];
    change(id, { state: "done", part: 1 });
    if (file) onDone(file);
  } catch (error) {
    if (uploads.value.some((item) => item.id === id)) failed.set(id, task);
    change(id, { state: "failed", problem: errorMessage(error) });
  } finally {
    running.delete(id);
    next();
    settle();
  }
}

function add(name: string, task: Omit<Task, "id">): void {
  const id = ++lastId;
  uploads.value = [...uploads.value, { id, name, state: "queued", part: 0 }];
  queue.push({ ...task, id });
  next();
}

/** `folder`: null for the root. */
export function addUploads(files: readonly File[], folder: number | null, onDone: (file: MediaFile) => void): void {
  for (const file of files) {
    const form = new FormData();
    form.append("files", file);
    form.append("fileInfo", JSON.stringify({ name: file.name, folder }));
    add(file.name, { path: "/upload", form, onDone });
  }
}

/** The file keeps its URL, name and texts. The focal point is one of the new image. */
export function replaceFile(
  replaced: MediaFile,
  file: File,
  onDone: (file: MediaFile) => void,
  focalPoint: object | null = null,
): void {
  const { id, name, alternativeText, caption } = replaced;
  const form = new FormData();
  form.append("files", file);
  form.append("fileInfo", JSON.stringify({ name, alternativeText, caption, focalPoint }));
  add(file.name, { path: `/upload/files/${id}/replace`, form, onDone });
}

export function cancelUpload(id: number): void {
  const position = queue.findIndex((task) => task.id === id);
  if (position >= 0) queue.splice(position, 1);
  failed.delete(id);
  uploads.value = uploads.value.filter((item) => item.id !== id);
  running.get(id)?.cancel();
}

/** Sends failed uploads again. */
export function retryUploads(): void {
  const tasks = [...failed.values()];
  failed.clear();
  for (const { id } of tasks) change(id, { state: "queued", part: 0, problem: undefined });
  queue.push(...tasks);
  next();
}

/** Removes failed uploads from the list. */
export function clearUploads(): void {
  failed.clear();
  uploads.value = uploads.value.filter(({ state }) => state !== "failed");
}

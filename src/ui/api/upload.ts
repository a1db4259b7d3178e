/** Uploads with progress, which `fetch` does not report. */
import { API_BASE } from "../first-requests.ts";
import { failureFrom, OWN_HEADERS, UnreachableError } from "./client.ts";

export interface Upload<T> {
  /** Rejects as `request` does; with an AbortError after `cancel`. */
  readonly done: Promise<T>;
  readonly cancel: () => void;
}

/** `onProgress` is called with the fraction that was sent, from 0 to 1. */
export function upload<T>(path: string, body: FormData | Blob, onProgress: (part: number) => void): Upload<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<T>((resolve, reject) => {
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) resolve(JSON.parse(responseText) as T);
      else reject(failureFrom(status, responseText));
    });
    request.addEventListener("error", () => reject(new UnreachableError("The server does not respond")));
    request.addEventListener("abort", () => reject(new DOMException("The upload was cancelled", "AbortError")));
    request.open("POST", API_BASE + path);
    for (const [name, value] of Object.entries(OWN_HEADERS)) request.setRequestHeader(name, value);
    request.send(body);
  });
  return { done, cancel: () => request.abort() };
}

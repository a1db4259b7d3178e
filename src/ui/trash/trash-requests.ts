/** Requests about deleted and unpublished documents, which the server keeps for 30 days. */
import { api } from "../api/client.ts";
import { showDone, showProblem } from "../widgets/toasts.tsx";

export interface DeletedDocument {
  readonly contentType: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly name: string | null;
  readonly deletedAt: string;
}

export interface KeptTarget {
  readonly contentType: string;
  readonly documentIds: readonly string[];
  readonly locale?: string | undefined;
  readonly reason?: "deleted" | "unpublished";
}

interface Restored {
  readonly restored: number;
  readonly refused: readonly { readonly documentId: string; readonly message: string }[];
}

/** So many are restored by a request. */
const BATCH = 100;

export const TRASH_PATH = "/trash";

/** Throws the server's errors, and an error with the reason if a document cannot be restored, or none is kept any more. */
export async function restoreKept({ documentIds, ...target }: KeptTarget): Promise<void> {
  let count = 0;
  for (let start = 0; start < documentIds.length; start += BATCH) {
    const part = documentIds.slice(start, start + BATCH);
    const { restored, refused } = await api.post<Restored>(`${TRASH_PATH}/restore`, { ...target, documentIds: part });
    if (refused[0]) throw new Error(`Not restored: ${refused[0].message}`);
    count += restored;
  }
  if (count === 0) throw new Error("Not restored: it is not kept any more");
}

export const forgetKept = (target: KeptTarget): Promise<unknown> => api.post(`${TRASH_PATH}/forget`, target);

/** The message of something done that can be undone. `onRestored`: afterwards. */
export const showUndoable = (text: string, target: KeptTarget, onRestored: () => void): void =>
  showDone(text, {
    label: "Undo",
    run: () => {
      restoreKept(target).then(() => {
        showDone(target.reason === "unpublished" ? "Published again" : "Restored");
        onRestored();
      }, showProblem);
    },
  });

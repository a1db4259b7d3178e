/** Shows what a change makes of `config/galley.json`, and makes it when the user says so. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ApiFailure, api, messageOf } from "../api/client.ts";
import { Dialog } from "../widgets/dialog.tsx";
import { Diff } from "../widgets/diff.tsx";
import { showProblem } from "../widgets/toasts.tsx";

export interface ConfigChange {
  /** As the server names it. */
  readonly kind: "role" | "removeRole" | "user" | "removeUser" | "token" | "removeToken";
  readonly change: object;
}

interface Preview {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly mark: string;
}

interface Shown {
  readonly title: string;
  readonly change: ConfigChange;
  readonly preview: Preview;
  readonly answer: (isDone: boolean) => void;
}

const shown = signal<Shown | undefined>(undefined);

/** Resolves with whether the change was made. */
export async function changeConfig(title: string, change: ConfigChange): Promise<boolean> {
  let preview: Preview;
  try {
    preview = (await api.post<{ data: Preview }>("/access/preview", change)).data;
  } catch (error) {
    showProblem(error);
    return false;
  }
  return new Promise((resolve) => {
    shown.value = {
      title,
      change,
      preview,
      answer: (isDone) => {
        shown.value = undefined;
        resolve(isDone);
      },
    };
  });
}

export function ChangeDialog() {
  const current = shown.value;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  if (!current) return null;
  const { title, change, preview, answer } = current;
  const finish = (isDone: boolean): void => {
    setProblem(undefined);
    answer(isDone);
  };
  const apply = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await api.post("/access/change", { ...change, mark: preview.mark });
      finish(true);
    } catch (error) {
      setProblem(messageOf(error));
      if (!(error instanceof ApiFailure)) return;
      // the file may be another by now
      const again = await api.post<{ data: Preview }>("/access/preview", change).catch(() => undefined);
      if (again && shown.peek()) shown.value = { ...current, preview: again.data };
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      shape="wide"
      onClose={() => finish(false)}
      actions={
        <>
          <button type="button" class="button" onClick={() => finish(false)}>
            Cancel
          </button>
          <button type="button" class="button button-primary" disabled={isBusy} onClick={apply}>
            Write the file
          </button>
        </>
      }
    >
      {problem ? (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <Diff file={preview.file} before={preview.before} after={preview.after} />
    </Dialog>
  );
}

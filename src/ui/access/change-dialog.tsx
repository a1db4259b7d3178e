/** Previews a change of `config/galley.json`, and applies it after confirmation. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ApiFailure, api, errorMessage } from "../api/client.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { Diff } from "../widgets/diff.tsx";
import { showProblem } from "../widgets/toasts.tsx";

export interface ConfigChange {
  /** The server's name for the change. */
  readonly kind: "role" | "removeRole" | "user" | "removeUser" | "token" | "removeToken";
  readonly change: object;
}

interface Preview {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly mark: string;
}

interface OpenChange {
  readonly title: string;
  readonly change: ConfigChange;
  /** What it leads to beside the file. */
  readonly text: string | undefined;
  readonly preview: Preview;
  readonly answer: (isDone: boolean) => void;
}

const openChange = signal<OpenChange | undefined>(undefined);

/** Resolves with whether the change was made. `text`: what it leads to beside the file. */
export async function changeConfig(title: string, change: ConfigChange, text?: string): Promise<boolean> {
  let preview: Preview;
  try {
    preview = (await api.post<{ data: Preview }>("/access/preview", change)).data;
  } catch (error) {
    showProblem(error);
    return false;
  }
  return new Promise((resolve) => {
    openChange.value = {
      title,
      change,
      text,
      preview,
      answer: (isDone) => {
        openChange.value = undefined;
        resolve(isDone);
      },
    };
  });
}

export function ChangeDialog() {
  const current = openChange.value;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  // where somebody goes back, for instance
  useEffect(() => () => openChange.peek()?.answer(false), []);
  if (!current) return null;
  const { title, change, text, preview, answer } = current;
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
      setProblem(errorMessage(error));
      if (!(error instanceof ApiFailure)) return;
      // the file may have changed since the preview
      const again = await api.post<{ data: Preview }>("/access/preview", change).catch(() => undefined);
      if (again && openChange.peek()) openChange.value = { ...current, preview: again.data };
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
          <Button text="Cancel" onClick={() => finish(false)} />
          <Button kind="primary" text="Write the file" disabled={isBusy} onClick={apply} />
        </>
      }
    >
      <Alert text={problem} />
      {text ? <p>{text}</p> : null}
      <Diff file={preview.file} before={preview.before} after={preview.after} />
    </Dialog>
  );
}

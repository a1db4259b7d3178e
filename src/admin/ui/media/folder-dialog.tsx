/** Makes a folder, or gives one another name. */
import { useState } from "preact/hooks";
import { api, messageOf } from "../api/client.ts";
import { Dialog } from "../widgets/dialog.tsx";
import type { Folder } from "./folders.ts";

interface FolderDialogProps {
  /** Undefined: a new one. */
  readonly folder?: Folder | undefined;
  /** Where it is, or is made; null for the root. */
  readonly parent: number | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function FolderDialog({ folder, parent, onSaved, onClose }: FolderDialogProps) {
  const [name, setName] = useState(folder?.name ?? "");
  const [problem, setProblem] = useState<string>();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      if (folder) await api.put(`/upload/folders/${folder.id}`, { name: name.trim(), parent });
      else await api.post("/upload/folders", { name: name.trim(), parent });
      onSaved();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Dialog
      title={folder ? `Rename ${folder.name}` : "New folder"}
      onClose={onClose}
      actions={
        <button type="submit" form="folder-form" class="button button-primary" disabled={name.trim() === ""}>
          {folder ? "Rename" : "Create"}
        </button>
      }
    >
      <form id="folder-form" onSubmit={save}>
        <label class="field">
          <span class="field-label">Name</span>
          <input
            class="input"
            value={name}
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          {problem ? (
            <span class="field-problem" role="alert">
              {problem}
            </span>
          ) : null}
        </label>
      </form>
    </Dialog>
  );
}

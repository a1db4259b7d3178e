/** Makes a folder, or gives one another name. */
import { useState } from "preact/hooks";
import { api, errorMessage } from "../api/client.ts";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { TextField } from "../widgets/text-field.tsx";
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
  const save = async (): Promise<void> => {
    try {
      if (folder) await api.put(`/upload/folders/${folder.id}`, { name: name.trim(), parent });
      else await api.post("/upload/folders", { name: name.trim(), parent });
      onSaved();
    } catch (error) {
      setProblem(errorMessage(error));
    }
  };
  return (
    <FormDialog
      title={folder ? `Rename ${folder.name}` : "New folder"}
      action={folder ? "Rename" : "Create"}
      isGuarded
      canSubmit={name.trim() !== ""}
      problem={problem}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label="Name" value={name} aria-invalid={problem !== undefined} onChange={setName} />
    </FormDialog>
  );
}

/** Chooses the folder that files and folders are moved into. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { SelectField } from "../widgets/select.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import { type FolderNode, flattened } from "./folders.ts";

interface MoveDialogProps {
  readonly files: readonly number[];
  readonly folders: readonly number[];
  readonly onMoved: () => void;
  readonly onClose: () => void;
}

const INDENT = "\u00a0\u00a0\u00a0";
const ROOT = "";

export function MoveDialog({ files, folders, onMoved, onClose }: MoveDialogProps) {
  const { data: answer, problem } = useAnswer<{ data: readonly FolderNode[] }>("/upload/folder-structure");
  const [target, setTarget] = useState(ROOT);
  const move = async (): Promise<void> => {
    await attempt(async () => {
      await api.post("/upload/actions/bulk-move", {
        destinationFolderId: target === ROOT ? null : Number(target),
        fileIds: files,
        folderIds: folders,
      });
      showDone("Moved");
      onMoved();
    });
  };
  return (
    <FormDialog
      title="Move"
      action="Move"
      canSubmit={answer !== undefined}
      problem={problem}
      onSubmit={move}
      onClose={onClose}
    >
      <SelectField
        label="Destination folder"
        value={target}
        options={[
          [ROOT, "Media library"],
          ...flattened(answer?.data ?? [], new Set(folders)).map(
            ({ node, depth }) => [String(node.id), `${INDENT.repeat(depth + 1)}${node.name}`] as const,
          ),
        ]}
        onChoose={setTarget}
      />
    </FormDialog>
  );
}

/** Bulk actions for the selected files and folders. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { countText } from "../count-text.ts";
import type { Selection } from "../list/selection.ts";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { useWork } from "../widgets/use-work.ts";
import { selected } from "./grid.tsx";
import { MoveDialog } from "./move-dialog.tsx";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly onDone: () => void;
}

function formatNames(files: readonly number[], folders: readonly number[]): string {
  const parts = [
    files.length > 0 ? countText(files.length, "file") : "",
    folders.length > 0 ? countText(folders.length, "folder") : "",
  ];
  return parts.filter(Boolean).join(" and ");
}

export function SelectionBar({ selection, onDone }: SelectionBarProps) {
  const [isMoving, setIsMoving] = useState(false);
  const [isBusy, run] = useWork();
  const files = selected(selection, "file");
  const folders = selected(selection, "folder");
  const names = formatNames(files, folders);
  const finish = (): void => {
    selection.clear();
    onDone();
  };
  const remove = async (): Promise<void> => {
    const text =
      folders.length > 0
        ? "Everything in these folders is deleted, too, and the files are removed from documents that use them. This cannot be undone."
        : "They are removed from documents that use them. This cannot be undone.";
    if (!(await confirm({ title: `Delete ${names}?`, text, action: "Delete", isDangerous: true }))) return;
    const body = { fileIds: files, folderIds: folders };
    if (await run(() => api.post("/upload/actions/bulk-delete", body), `Deleted ${names}`)) finish();
  };
  return (
    <section class="row bulk-bar" aria-label="Selected files">
      <strong role="status">{names} selected</strong>
      <Button kind="link" text="Select none" onClick={() => selection.clear()} />
      <div class="page-actions">
        <Button text="Move" disabled={isBusy} onClick={() => setIsMoving(true)} />
        <Button kind="remove" text="Delete" disabled={isBusy} onClick={remove} />
      </div>
      {isMoving ? (
        <MoveDialog
          files={files}
          folders={folders}
          onMoved={() => {
            setIsMoving(false);
            finish();
          }}
          onClose={() => setIsMoving(false)}
        />
      ) : null}
    </section>
  );
}

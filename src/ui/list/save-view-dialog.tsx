/** Names the current query of a list. */
import { useState } from "preact/hooks";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { TextField } from "../widgets/text-field.tsx";
import { saveView } from "./views.ts";

const MAX_NAME = 40;

interface SaveViewDialogProps {
  readonly uid: string;
  readonly query: string;
  readonly onClose: () => void;
}

export function SaveViewDialog({ uid, query, onClose }: SaveViewDialogProps) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  return (
    <FormDialog
      title="Save view"
      action="Save"
      canSubmit={name.trim() !== ""}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        try {
          saveView(uid, { name: name.trim(), query });
          onClose();
        } catch (error) {
          setProblem((error as Error).message);
        }
      }}
    >
      <TextField
        label="Name"
        hint="Its search, filters, status, sort and columns are kept in this browser."
        maxLength={MAX_NAME}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}

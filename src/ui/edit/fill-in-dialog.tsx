/** Chooses the locale whose values fill the form, where there are too many for a menu. */
import { useState } from "preact/hooks";
import { FormDialog } from "../widgets/form-dialog.tsx";

export interface FillInChoice {
  readonly code: string;
  readonly name: string;
}

interface FillInDialogProps {
  readonly choices: readonly FillInChoice[];
  readonly onFillIn: (code: string) => void;
  readonly onClose: () => void;
}

export function FillInDialog({ choices, onFillIn, onClose }: FillInDialogProps) {
  const [code, setCode] = useState(choices[0]?.code ?? "");
  return (
    <FormDialog
      title="Fill in from another locale"
      action="Fill in"
      canSubmit={code !== ""}
      onSubmit={() => {
        onClose();
        onFillIn(code);
      }}
      onClose={onClose}
    >
      <label class="field">
        <span class="field-label">Locale</span>
        <select class="input" value={code} onChange={({ currentTarget }) => setCode(currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.code} value={choice.code}>
              {choice.name}
            </option>
          ))}
        </select>
        <span class="hint">The form gets the values of that locale. Nothing is saved yet.</span>
      </label>
    </FormDialog>
  );
}

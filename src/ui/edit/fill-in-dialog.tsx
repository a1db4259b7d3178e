/** Chooses the locale whose values fill the form, where there are too many for a menu. */
import { useState } from "preact/hooks";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { SelectField } from "../widgets/select.tsx";

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
      <SelectField
        label="Locale"
        hint="The form gets the values of that locale. Nothing is saved yet."
        value={code}
        options={choices.map((choice) => [choice.code, choice.name])}
        onChoose={setCode}
      />
    </FormDialog>
  );
}

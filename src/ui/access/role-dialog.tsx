/** A role's name and description. Its type identifies it in files, and is fixed after creation. */
import { useState } from "preact/hooks";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { TextField } from "../widgets/text-field.tsx";
import type { Role } from "./access-model.ts";

export interface RoleTexts {
  readonly type: string;
  readonly name: string;
  readonly description: string;
}

interface RoleDialogProps {
  /** Undefined: a new one. */
  readonly role: Role | undefined;
  readonly taken: readonly string[];
  readonly onSave: (texts: RoleTexts) => Promise<void>;
  readonly onClose: () => void;
}

/** Without accents; letters of other scripts stay, as in Strapi. */
const typeFrom = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");

function findProblem(name: string, type: string, taken: readonly string[]): string | undefined {
  if (name.trim() !== "" && type === "") return "A name needs a letter or a digit";
  return taken.includes(type) ? `A role with the type ${type} already exists` : undefined;
}

export function RoleDialog({ role, taken, onSave, onClose }: RoleDialogProps) {
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const type = role?.type ?? typeFrom(name);
  const problem = role ? undefined : findProblem(name, type, taken);
  return (
    <FormDialog
      title={role ? `Rename ${role.name}` : "New role"}
      action={role ? "Save" : "Continue"}
      isGuarded
      canSubmit={name.trim() !== "" && !problem}
      onSubmit={() => onSave({ type, name: name.trim(), description })}
      onClose={onClose}
    >
      <label class="field">
        <span class="field-label">Name {role || type === "" ? null : <code class="hint field-note">{type}</code>}</span>
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
      <TextField label="Description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}

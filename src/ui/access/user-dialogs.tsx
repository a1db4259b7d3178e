/** Dialogs that create a user and set a password. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { formProblem } from "../api/form-problem.ts";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { SelectField } from "../widgets/select.tsx";
import { TextField } from "../widgets/text-field.tsx";
import { showDone } from "../widgets/toasts.tsx";
import type { Role } from "./access-model.ts";

interface UserDialogProps {
  readonly roles: readonly Role[];
  readonly defaultRole: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const USERS_PATH = "/content-manager/collection-types/plugin::users-permissions.user";

const inputs = [
  { name: "username", label: "Username", type: "text" },
  { name: "email", label: "Email", type: "email" },
  { name: "password", label: "Password", type: "password" },
] as const;

export function UserDialog({ roles, defaultRole, onSaved, onClose }: UserDialogProps) {
  const [values, setValues] = useState({ username: "", email: "", password: "" });
  const [role, setRole] = useState(roles.find(({ type }) => type === defaultRole)?.id ?? roles[0]?.id);
  const [problem, setProblem] = useState<string>();
  const save = async (): Promise<void> => {
    try {
      // unlike those of the Content API, its refusals say what is taken
      await api.post(USERS_PATH, { ...values, role, confirmed: true });
      showDone(`Created ${values.username}`);
      onSaved();
    } catch (error) {
      setProblem(formProblem(error));
    }
  };
  return (
    <FormDialog
      title="New user"
      action="Create"
      isGuarded
      canSubmit={Object.values(values).every((value) => value !== "")}
      problem={problem}
      onSubmit={save}
      onClose={onClose}
    >
      {inputs.map(({ name, label, type }) => (
        <TextField
          key={name}
          label={label}
          type={type}
          autocomplete={type === "password" ? "new-password" : "off"}
          value={values[name]}
          onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <SelectField
        label="Role"
        value={String(role)}
        options={roles.map(({ id, name }) => [String(id), name])}
        onChoose={(id) => setRole(Number(id))}
      />
    </FormDialog>
  );
}

interface PasswordDialogProps {
  readonly id: number;
  readonly username: string;
  /** The file that defines the user, and may contain another password. */
  readonly file: string | undefined;
  readonly onClose: () => void;
}

export function PasswordDialog({ id, username, file, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string>();
  const save = async (): Promise<void> => {
    try {
      await api.put(`/users/${id}`, { password });
      showDone(`Changed the password of ${username}`);
      onClose();
    } catch (error) {
      setProblem(formProblem(error));
    }
  };
  return (
    <FormDialog
      title={`Change the password of ${username}`}
      action="Save"
      isGuarded
      canSubmit={password !== ""}
      problem={problem}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Password"
        hint={`${file ? `When ${file} changes, the password in it applies again. ` : ""}Sessions of this user end.`}
        type="password"
        autocomplete="new-password"
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  );
}

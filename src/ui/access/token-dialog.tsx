/** Creates or edits an API token: type, permissions, expiry. */
import { useMemo, useState } from "preact/hooks";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { SelectField } from "../widgets/select.tsx";
import { TextField } from "../widgets/text-field.tsx";
import { type Access, actionTable } from "./access-model.ts";
import { PermissionTable } from "./permission-table.tsx";

export const tokenTypes = { "read-only": "Read-only", "full-access": "Full access", custom: "Custom" } as const;

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly type: keyof typeof tokenTypes;
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface TokenValues {
  readonly name: string;
  readonly type: Token["type"];
  readonly permissions: readonly string[];
  /** In milliseconds; null: no expiry. Used for new tokens only. */
  readonly lifespan: number | null;
}

const hints: Readonly<Record<Token["type"], string>> = {
  "read-only": "Reads everything that the Content API offers.",
  "full-access": "Reads and writes everything that the Content API offers.",
  custom: "Does only what you select below.",
};

const DAY_MS = 86_400_000;
/** Strapi's choices. */
const lifespans: readonly { readonly label: string; readonly value: number | null }[] = [
  { label: "Never", value: null },
  ...[7, 30, 90].map((days) => ({ label: `After ${days} days`, value: days * DAY_MS })),
];

interface TokenDialogProps {
  readonly access: Access;
  /** Undefined: a new one. */
  readonly token: Token | undefined;
  readonly isNameFixed: boolean;
  readonly onSave: (values: TokenValues) => Promise<void>;
  readonly onClose: () => void;
}

export function TokenDialog({ access, token, isNameFixed, onSave, onClose }: TokenDialogProps) {
  const [name, setName] = useState(token?.name ?? "");
  const [type, setType] = useState<Token["type"]>(token?.type ?? "read-only");
  const [granted, setGranted] = useState<ReadonlySet<string>>(new Set(token?.permissions));
  const [lifespan, setLifespan] = useState<number | null>(null);
  const table = useMemo(() => actionTable(access, token?.permissions ?? []), [access, token]);
  return (
    <FormDialog
      title={token ? token.name : "New token"}
      shape="wide"
      action={token ? "Save" : "Create"}
      isGuarded
      canSubmit={name.trim() !== ""}
      onSubmit={() => onSave({ name: name.trim(), type, permissions: type === "custom" ? [...granted] : [], lifespan })}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={255} readOnly={isNameFixed} onChange={setName} />
      <SelectField
        label="Type"
        hint={hints[type]}
        value={type}
        options={Object.entries(tokenTypes)}
        onChoose={(chosen) => setType(chosen as Token["type"])}
      />
      {token ? null : (
        <SelectField
          label="Expires"
          value={String(lifespan)}
          options={lifespans.map(({ label, value }) => [String(value), label])}
          onChoose={(chosen) => setLifespan(lifespans.find(({ value }) => String(value) === chosen)?.value ?? null)}
        />
      )}
      {type === "custom" ? (
        <PermissionTable table={table} granted={granted} isReadOnly={false} onChange={setGranted} />
      ) : null}
    </FormDialog>
  );
}

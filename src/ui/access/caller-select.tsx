/** Selects the caller as whom a request is explained. */
import { useAnswer } from "../api/use-answer.ts";
import { SelectField } from "../widgets/select.tsx";
import type { Role } from "./access-model.ts";
import { callerChoices } from "./callers.ts";
import type { Token } from "./token-dialog.tsx";

interface CallerSelectProps {
  readonly roles: readonly Role[];
  /** Its key. */
  readonly value: string;
  readonly onChoose: (key: string) => void;
}

export function CallerSelect({ roles, value, onChoose }: CallerSelectProps) {
  const tokens = useAnswer<{ data: readonly Token[] }>("/admin/api-tokens").data?.data ?? [];
  const names = tokens.map(({ name }) => name);
  return <SelectField label="As" value={value} options={callerChoices(roles, names)} onChoose={onChoose} />;
}

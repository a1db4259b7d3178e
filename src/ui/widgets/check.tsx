/** A checkbox with its label beside it. */
import type { ComponentChildren } from "preact";

interface CheckProps {
  readonly label: ComponentChildren;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly class?: string;
  readonly onChange: (isOn: boolean) => void;
}

export const Check = ({ label, isOn, isDisabled, class: className = "choice", onChange }: CheckProps) => (
  <label class={className}>
    <input
      type="checkbox"
      checked={isOn}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
);

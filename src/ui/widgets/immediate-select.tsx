/** A select whose choice takes effect at once: it leads to another list or document, or writes. */
import { openOnKey } from "./open-on-key.ts";

export interface ImmediateSelectProps {
  /** For a label elsewhere. */
  readonly id?: string;
  readonly label?: string;
  readonly class?: string;
  readonly value: string | undefined;
  readonly isDisabled?: boolean;
  readonly options: Iterable<readonly [value: string, label: string]>;
  readonly onChoose: (value: string) => void;
}

export const ImmediateSelect = ({
  id,
  label,
  value,
  isDisabled,
  options,
  onChoose,
  ...props
}: ImmediateSelectProps) => (
  <select
    class={props.class ?? "input"}
    id={id}
    aria-label={label}
    value={value}
    disabled={isDisabled}
    onKeyDown={openOnKey}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    {[...options].map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
);

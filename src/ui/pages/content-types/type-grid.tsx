/** The types of attributes to choose from, each with its sign and what it is for. */
import { useId } from "preact/hooks";
import { attributeKinds } from "./attribute-options.ts";
import { TypeIcon } from "./type-icon.tsx";

interface TypeGridProps {
  readonly value: string;
  readonly onChange: (type: string) => void;
}

export function TypeGrid({ value, onChange }: TypeGridProps) {
  const name = useId();
  return (
    <fieldset class="kind-grid">
      <legend class="field-label">Type</legend>
      {Object.entries(attributeKinds).map(([type, { label, hint }]) => (
        <label key={type} class="kind" title={hint}>
          <input type="radio" name={name} value={type} checked={type === value} onChange={() => onChange(type)} />
          <TypeIcon type={type} />
          <span>{label}</span>
          <span class="one-line kind-hint hint">{hint}</span>
        </label>
      ))}
    </fieldset>
  );
}

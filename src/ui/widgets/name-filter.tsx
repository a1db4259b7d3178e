/** Narrows a long list of the page to what has a text in its name. */

interface NameFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export const NameFilter = ({ label, value, onChange }: NameFilterProps) => (
  <input
    type="search"
    class="input"
    placeholder={label}
    aria-label={label}
    value={value}
    onInput={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

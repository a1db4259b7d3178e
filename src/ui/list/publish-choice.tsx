/** The choice to publish new documents. */
interface PublishChoiceProps {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

export const PublishChoice = ({ isChosen, onChange }: PublishChoiceProps) => (
  <label class="choice">
    <input type="checkbox" checked={isChosen} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
    Publish them
  </label>
);

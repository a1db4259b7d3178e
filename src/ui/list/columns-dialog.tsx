/** Chooses the columns of a list and their order. */
import { useState } from "preact/hooks";
import { developerDetails } from "../developer-details.ts";
import { type ContentType, formatLabel } from "../model.ts";
import { Button, IconButton } from "../widgets/button.tsx";
import { Check } from "../widgets/check.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { NameFilter } from "../widgets/name-filter.tsx";
import { canBeColumn, defaultColumns } from "./columns.ts";

export interface ColumnsDialogProps {
  readonly type: ContentType;
  readonly columns: readonly string[];
  /** Undefined: those that a list has at first. */
  readonly onApply: (columns: readonly string[] | undefined) => void;
  readonly onClose: () => void;
}

const IDS = new Set(["id", "documentId"]);
/** With more columns than this, they are found by name as well. */
const MANY = 15;

export function ColumnsDialog({ type, columns, onApply, onClose }: ColumnsDialogProps) {
  const [chosen, setChosen] = useState(columns);
  const [text, setText] = useState("");
  const names = Object.entries(type.attributes)
    .filter(([name, attribute]) => canBeColumn(attribute) && (developerDetails.value || !IDS.has(name)))
    .map(([name]) => name);
  const ordered = [...chosen, ...names.filter((name) => !chosen.includes(name))];
  const found = ordered.filter((name) => formatLabel(name).toLowerCase().includes(text.toLowerCase()));
  const moveUp = (name: string): void => {
    const index = chosen.indexOf(name);
    setChosen(chosen.toSpliced(index, 1).toSpliced(index - 1, 0, name));
  };
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      actions={
        <>
          <Button text="Reset" onClick={() => setChosen(defaultColumns(type))} />
          <Button
            kind="primary"
            text="Apply"
            disabled={chosen.length === 0}
            onClick={() => {
              const isDefault = chosen.join() === defaultColumns(type).join();
              onApply(isDefault ? undefined : chosen);
              onClose();
            }}
          />
        </>
      }
    >
      {names.length > MANY ? <NameFilter label="Find a column" value={text} onChange={setText} /> : null}
      <ul class="column-choices">
        {found.map((name) => {
          const isChosen = chosen.includes(name);
          return (
            <li key={name}>
              <Check
                label={formatLabel(name)}
                isOn={isChosen}
                onChange={() => setChosen(isChosen ? chosen.filter((other) => other !== name) : [...chosen, name])}
              />
              {isChosen && chosen[0] !== name ? (
                <IconButton icon="up" label={`Move ${formatLabel(name)} up`} onClick={() => moveUp(name)} />
              ) : null}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

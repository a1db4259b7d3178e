/** Edits the filters of a list. They take effect when the user applies them. */
import { useMemo, useRef, useState } from "preact/hooks";
import { type ContentType, formatLabel } from "../model.ts";
import { setFilters } from "../router.ts";
import { fullTime } from "../time-of-day.ts";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { SelectField } from "../widgets/select.tsx";
import { ConditionRow, isPolymorphic } from "./condition-row.tsx";
import {
  attributeAt,
  type Condition,
  type Conditions,
  listOperators,
  operators,
  readConditions,
  writeConditions,
} from "./conditions.ts";

export interface FilterDialogProps {
  readonly type: ContentType;
  /** Those of the list, in the server's shape; undefined for none. */
  readonly filters: object | undefined;
  readonly onClose: () => void;
}

const NO_CONDITIONS: Conditions = { match: "$and", list: [] };

export function FilterDialog({ type, filters, onClose }: FilterDialogProps) {
  const conditions = useMemo(() => readConditions(filters) ?? NO_CONDITIONS, [filters]);
  const newCondition = (): Condition => ({
    path: [type.mainField],
    operator: listOperators(attributeAt(type, [type.mainField]) ?? { type: "string" })[0]!,
    values: [],
  });
  const [match, setMatch] = useState(conditions.match);
  const [rows, setRows] = useState(() =>
    (conditions.list.length > 0 ? conditions.list : [newCondition()]).map((condition, id) => ({ id, condition })),
  );
  const polymorphic = Object.entries(type.attributes).filter(([, attribute]) => isPolymorphic(attribute));
  const list = useRef<HTMLUListElement>(null);
  const add = (): void => {
    setRows([...rows, { id: (rows.at(-1)?.id ?? 0) + 1, condition: newCondition() }]);
    requestAnimationFrame(() => list.current?.lastElementChild?.querySelector("input")?.focus());
  };
  const apply = (): void => {
    const all = rows.map(({ condition }) => {
      const isMany = operators[condition.operator].values === "many";
      const values = isMany ? condition.values.filter((value) => value !== "") : condition.values;
      return {
        ...condition,
        values: attributeAt(type, condition.path)?.type === "time" ? values.map(fullTime) : values,
      };
    });
    setFilters(writeConditions({ match, list: all }));
    onClose();
  };
  return (
    <Dialog
      title={`Filter ${type.info.displayName}`}
      shape="wide"
      onClose={onClose}
      actions={
        <>
          <Button
            text="Clear all"
            onClick={() => {
              setFilters([]);
              onClose();
            }}
          />
          <Button kind="primary" text="Apply" type="submit" form="conditions" />
        </>
      }
    >
      <form
        id="conditions"
        class="stack conditions"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        {rows.length > 1 ? (
          <SelectField
            class="input input-inline"
            label="Match"
            value={match}
            options={[
              ["$and", "all of these"],
              ["$or", "any of these"],
            ]}
            onChoose={(chosen) => setMatch(chosen === "$or" ? "$or" : "$and")}
          />
        ) : null}
        <ul ref={list}>
          {rows.map(({ id, condition }) => (
            <ConditionRow
              key={id}
              type={type}
              condition={condition}
              onChange={(changed) => setRows(rows.map((row) => (row.id === id ? { id, condition: changed } : row)))}
              onRemove={() => setRows(rows.filter((row) => row.id !== id))}
            />
          ))}
        </ul>
        <Button icon="add" text="Add a condition" onClick={add} />
        {polymorphic.length > 0 ? (
          <p class="hint">
            Not filtered by: {polymorphic.map(([name]) => formatLabel(name)).join(", ")}. What links to documents of any
            type has no fields of its own to compare, and the API refuses it in filters.
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}

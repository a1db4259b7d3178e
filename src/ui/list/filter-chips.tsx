/** The active filters of a list, above it. Loaded when there are some. */
import type { ContentType } from "../model.ts";
import { setFilters } from "../router.ts";
import { IconButton } from "../widgets/button.tsx";
import { type Condition, formatCondition, readConditions, writeConditions } from "./conditions.ts";

interface FilterChipsProps {
  readonly type: ContentType;
  readonly filters: object;
  readonly onEdit: () => void;
}

/** The active filters, each with a button that removes it, and one that leads to the form where it is changed. */
export function FilterChips({ type, filters, onEdit }: FilterChipsProps) {
  const conditions = readConditions(filters);
  const without = (condition: Condition): void => {
    if (conditions)
      setFilters(writeConditions({ ...conditions, list: conditions.list.filter((item) => item !== condition) }));
  };
  const chips = conditions?.list.map((condition) => ({
    text: formatCondition(type, condition),
    remove: () => without(condition),
  })) ?? [{ text: "A filter from the URL", remove: () => setFilters([]) }];
  return (
    <ul class="chips" aria-label="Filters">
      {chips.map(({ text, remove }) => (
        <li key={text} class="chip">
          {conditions ? (
            <button type="button" class="chip-text" aria-haspopup="dialog" onClick={onEdit}>
              {text}
            </button>
          ) : (
            text
          )}
          <IconButton icon="close" label={`Remove: ${text}`} onClick={remove} />
        </li>
      ))}
    </ul>
  );
}

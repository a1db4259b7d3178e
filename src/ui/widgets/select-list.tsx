/** The open list of a select. */
import { useLayoutEffect } from "preact/hooks";
import { type Anchor, usePopup } from "./popup.ts";

export type SelectOption = readonly [value: string, label: string];

interface SelectListProps {
  readonly id: string;
  readonly input: Anchor;
  readonly options: readonly SelectOption[];
  readonly active: number;
  readonly value: string | undefined;
  readonly onChoose: (option: SelectOption) => void;
}

// the focus stays in the input
const keepFocus = (event: Event): void => event.preventDefault();

export function SelectList({ id, input, options, active, value, onChoose }: SelectListProps) {
  const popup = usePopup<HTMLDivElement>(input);
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps the focus
    <div ref={popup} class="menu" popover="manual" onMouseDown={keepFocus}>
      {options.length === 0 ? (
        <p class="hint" role="status">
          Nothing matches
        </p>
      ) : (
        <div id={`${id}-list`} role="listbox" aria-label="Choices">
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus
            <div
              key={option[0]}
              id={`${id}-${index}`}
              role="option"
              class="menu-item"
              aria-selected={option[0] === value}
              data-highlighted={index === active ? "" : undefined}
              data-value={option[0]}
              onClick={() => onChoose(option)}
            >
              {option[1]}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

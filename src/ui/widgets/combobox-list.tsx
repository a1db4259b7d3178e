/** The open list of a combobox. */
import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Anchor, usePopup } from "./popup.ts";

export type Option = readonly [value: string, label: string, detail?: ComponentChild];

interface ComboboxListProps {
  readonly id: string;
  readonly anchor: Anchor;
  readonly options: readonly Option[];
  /** Its index; -1 for none. */
  readonly active: number;
  readonly value: string | undefined;
  readonly onChoose: (option: Option) => void;
  /** Called when the pointer goes to another option. */
  readonly onActivate: (option: Option) => void;
}

/** Options that are rendered at once. More are reached with keys, and found by typing. */
const MOST = 1_000;

// the focus stays in the input
const keepFocus = (event: Event): void => event.preventDefault();

export function ComboboxList({ id, anchor, options, active, value, onChoose, onActivate }: ComboboxListProps) {
  const popup = usePopup<HTMLDivElement>(anchor);
  const start = useRef(0);
  if (active < start.current || active >= start.current + MOST) start.current = Math.max(0, active - MOST / 2);
  const from = Math.max(0, Math.min(start.current, options.length - MOST));
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
          {options.slice(from, from + MOST).map((option, offset) => {
            const [key, label, detail] = option;
            const index = from + offset;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus
              <div
                key={key}
                id={`${id}-${index}`}
                role="option"
                class={detail ? "menu-item menu-row" : "menu-item"}
                aria-selected={key === value}
                aria-setsize={options.length}
                aria-posinset={index + 1}
                data-highlighted={index === active ? "" : undefined}
                data-value={key}
                // below a pointer that rests, a list that scrolls also "moves" it
                onPointerMove={({ movementX, movementY }) => {
                  if (index !== active && (movementX !== 0 || movementY !== 0)) onActivate(option);
                }}
                onClick={() => onChoose(option)}
              >
                <bdi>{label}</bdi>
                {detail}
              </div>
            );
          })}
        </div>
      )}
      {options.length > MOST ? <p class="hint">{options.length.toLocaleString()} choices: type to find one</p> : null}
    </div>
  );
}

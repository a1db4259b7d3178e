/** The menu behind its button, open when it is first shown. */
import * as menu from "@zag-js/menu";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { trackLastInput } from "./last-input.ts";
import type { MenuProps } from "./menu-props.ts";

const { implementations } = menu.machine;

const machine: typeof menu.machine = {
  ...menu.machine,
  implementations: {
    ...implementations,
    effects: { ...implementations?.effects, trackFocusVisible: trackLastInput },
  },
};

export function OpenMenu({ label, items, children, ...props }: MenuProps) {
  const service = useMachine(machine, {
    id: useId(),
    defaultOpen: true,
    // inside of dialogs, too: those are above everything else in the document
    positioning: { placement: "bottom-end", strategy: "fixed" },
    onSelect: ({ value }) => items.find(({ id }) => id === value)?.run(),
  });
  const view = menu.connect(service, normalizeProps);
  const trigger = useRef<HTMLButtonElement>(null);
  // it replaces the button that was pressed: a dialog that the menu opens gives the focus back to it
  useLayoutEffect(() => trigger.current?.focus(), []);
  return (
    <>
      <button
        type="button"
        {...view.getTriggerProps()}
        ref={trigger}
        class={props.class ?? "button-icon"}
        aria-label={label}
      >
        {children}
      </button>
      {view.open ? (
        <div {...view.getPositionerProps()}>
          <div {...view.getContentProps()} class="menu">
            {items.map(({ id, label: text, isDangerous, isDisabled }) => (
              <div
                key={id}
                {...view.getItemProps({ value: id, disabled: isDisabled ?? false })}
                class={isDangerous ? "menu-item menu-item-danger" : "menu-item"}
              >
                {text}
              </div>
            ))}
          </div>
        </div>
      ) : null}
    </>
  );
}

/** A button with a menu of actions. Its machine is loaded when a menu is first opened. */
import { useState } from "preact/hooks";
import type { MenuProps } from "./menu-props.ts";
import { attempt } from "./toasts.tsx";

type OpenMenu = typeof import("./open-menu.tsx").OpenMenu;

let loaded: OpenMenu | undefined;

export function Menu(props: MenuProps) {
  const [View, setView] = useState<OpenMenu | undefined>(undefined);
  if (View) return <View {...props} />;
  const open = async (): Promise<void> => {
    await attempt(async () => {
      loaded ??= (await import("./open-menu.tsx")).OpenMenu;
      const found = loaded;
      setView(() => found);
    });
  };
  return (
    <button
      type="button"
      class={props.class ?? "button-icon"}
      aria-haspopup="menu"
      aria-expanded="false"
      aria-label={props.label}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        void open();
      }}
    >
      {props.children}
    </button>
  );
}

/** What a menu shows and does. */
import type { ComponentChildren } from "preact";

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export interface MenuProps {
  /** The name of the button for those who do not see it; absent where its content is text. */
  readonly label?: string;
  readonly class?: string;
  readonly items: readonly MenuItem[];
  readonly children: ComponentChildren;
}

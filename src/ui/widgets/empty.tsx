/** In the place of a list without rows. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface EmptyProps {
  readonly icon: IconName;
  readonly text: string;
  /** What can be done about it. */
  readonly children?: ComponentChildren;
}

export const Empty = ({ icon, text, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p>{text}</p>
    {children}
  </div>
);

/** The handle of a sortable item, for dragging and arrow keys. */
import { Icon } from "./icon.tsx";
import type { SortableRefs } from "./sortable.ts";

interface DragHandleProps {
  readonly sortable: Omit<SortableRefs<HTMLElement>, "item">;
  /** Of the item. */
  readonly name: string;
}

export const DragHandle = ({ sortable, name }: DragHandleProps) =>
  sortable.isDisabled ? null : (
    <button
      ref={sortable.handle}
      type="button"
      class="button-icon drag-handle"
      aria-label={`Move ${name}: arrow keys`}
      onKeyDown={sortable.onKeyDown}
    >
      <Icon name="drag" />
    </button>
  );

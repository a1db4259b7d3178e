/** What a row of the table of fields is, and what its component gets. */
import type { ComponentType } from "preact";
import type { Group, Leaf } from "../form/tree.ts";

export interface FieldProps {
  readonly node: Leaf;
  /** The document or the entry that the field is of. */
  readonly group: Group;
  readonly isReadOnly: boolean;
  /** For `aria-describedby`: what the field's problem and hint are in. */
  readonly describedBy: string;
}

export interface FieldType {
  readonly Field: ComponentType<FieldProps>;
  /** Takes the whole width of the form. */
  readonly isWide?: true;
  /** Has several inputs, or one that is none of the browser's: its label is a heading of a group, in `${node.id}-label`. */
  readonly isGroup?: true;
}

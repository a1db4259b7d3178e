/** The type of a row of `fields.ts`, and the props of its component. */
import type { ComponentType } from "preact";
import type { Group, Leaf } from "../form/tree.ts";

export interface FieldProps {
  readonly node: Leaf;
  /** The document or entry that contains the field. */
  readonly group: Group;
  readonly isReadOnly: boolean;
  /** For `aria-describedby`: the id of the element with the field's error and hint. */
  readonly describedBy: string;
}

export interface FieldType {
  readonly Field: ComponentType<FieldProps>;
  /** Takes the whole width of the form. */
  readonly isWide?: true;
  /** Has several inputs or a custom one, so that a `<label for>` cannot refer to it: `${node.id}-label` labels a group. */
  readonly isGroup?: true;
}

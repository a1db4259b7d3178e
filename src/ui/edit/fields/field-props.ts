/** The type of a row of `fields.ts`, and the props of its component. */
import type { ComponentType } from "preact";
import type { Group, Leaf } from "../form/tree.ts";

export interface FieldProps {
  readonly node: Leaf;
  /** The document or entry that contains the field. */
  readonly group: Group;
  /** The language of the document, as in HTML. */
  readonly lang: string | undefined;
  readonly isReadOnly: boolean;
  /** For `aria-describedby`: the id of the element with the field's error and hint. */
  readonly describedBy: string;
}

export interface FieldType {
  readonly Field: ComponentType<FieldProps>;
  /** Stands below its label as wide as the form, or is no wider than a date. */
  readonly width?: "wide" | "short";
  /** Has several inputs or a custom one, so that a `<label for>` cannot refer to it: `${node.id}-label` labels a group. */
  readonly isGroup?: true;
}

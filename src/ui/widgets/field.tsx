/** A label above a control with its id, and a hint below, which the control is described by: the id with `-hint`. */
import type { ComponentChildren } from "preact";

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** As wide as all columns. */
  readonly isWide?: boolean | undefined;
  readonly children: ComponentChildren;
}

export const Field = ({ id, label, hint, isWide, children }: FieldProps) => (
  <div class={isWide ? "field field-wide" : "field"}>
    <label class="field-label" for={id}>
      {label}
    </label>
    {children}
    {hint ? (
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
    ) : null}
  </div>
);

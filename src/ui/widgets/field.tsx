/** A label above a control with its id, and below what the control is described by. */
import type { ComponentChildren } from "preact";

export interface FieldTexts {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

interface FieldProps extends FieldTexts {
  readonly id: string;
  /** As wide as all columns. */
  readonly isWide?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** The id of what describes the control. */
export const describedBy = (id: string, { hint, problem }: Omit<FieldTexts, "label">): string | undefined =>
  problem ? `${id}-problem` : hint && `${id}-hint`;

export const Field = ({ id, label, hint, problem, isWide, children }: FieldProps) => (
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
    {problem ? (
      <p id={`${id}-problem`} class="field-problem">
        {problem}
      </p>
    ) : null}
  </div>
);

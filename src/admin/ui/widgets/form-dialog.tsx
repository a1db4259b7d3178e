/** A dialog with a form: Enter and its last button send it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Dialog, type DialogProps } from "./dialog.tsx";

interface FormDialogProps extends Pick<DialogProps, "title" | "shape" | "onClose"> {
  /** The button that sends it. */
  readonly action: string;
  readonly canSubmit: boolean;
  /** What kept it from being done. */
  readonly problem?: string | undefined;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, shape, action, canSubmit, problem, onSubmit, onClose, children }: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      {...(shape ? { shape } : {})}
      actions={
        <button type="submit" form={id} class="button button-primary" disabled={!canSubmit}>
          {action}
        </button>
      }
    >
      <form
        id={id}
        class="dialog-form"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit) onSubmit();
        }}
      >
        {children}
        {problem ? (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}

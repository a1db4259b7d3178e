/** A dialog with a form: Enter and its last button send it. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { useGuardedClose } from "./guarded-close.ts";

interface FormDialogProps extends Pick<DialogProps, "title" | "shape" | "onClose"> {
  /** The button that sends it. */
  readonly action: string;
  readonly canSubmit: boolean;
  /** Whether closing it asks first, once something was entered. */
  readonly isGuarded?: boolean;
  /** What kept it from being done. */
  readonly problem?: string | undefined;
  /** Until what it returns is settled, it is not called again. */
  readonly onSubmit: () => void | Promise<void>;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { title, shape, action, canSubmit, isGuarded = false, problem, onSubmit, onClose, children } = props;
  const guard = useGuardedClose(onClose, isGuarded);
  const id = useId();
  const [isBusy, setIsBusy] = useState(false);
  // a double click comes before the next rendering
  const isSending = useRef(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!canSubmit || isSending.current) return;
    isSending.current = true;
    setIsBusy(true);
    try {
      await onSubmit();
    } finally {
      isSending.current = false;
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={guard.close}
      {...(shape ? { shape } : {})}
      actions={
        <Button kind="primary" text={action} type="submit" form={id} disabled={!canSubmit} aria-disabled={isBusy} />
      }
    >
      <form id={id} class="dialog-form" autocomplete="off" aria-busy={isBusy} onInput={guard.onInput} onSubmit={submit}>
        {children}
        <Alert text={problem} />
      </form>
    </Dialog>
  );
}

/** Dialogs: the browser's own element, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { Toasts, useLayer } from "./toasts.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** `side` opens beside what is edited; `wide` has room for two columns. */
  readonly shape?: "small" | "wide" | "side";
  /** Nothing in it can be focused. */
  readonly isText?: boolean;
  /** Buttons, the most important one last. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Dialog({ title, onClose, shape = "small", isText, actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const layer = useLayer();
  const isFilledIn = useRef(false);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // the browser focuses the first button, which closes it
    dialog?.querySelector<HTMLElement>(".dialog-body :is(input:not([type='file']), textarea):not(:disabled)")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog dialog-${shape}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
      onInput={({ target }) => {
        if (!(target as Element).matches("[type='search']")) isFilledIn.current = true;
      }}
      onPointerDown={(event) => {
        // on the backdrop: a click there by mistake does not lose what was entered
        if (event.target === element.current && !isFilledIn.current) onClose();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {/* what has nothing to reach with Tab is scrolled with keys */}
        <div class="dialog-body" tabIndex={isText ? 0 : undefined}>
          {children}
        </div>
        {actions ? <footer class="buttons dialog-actions">{actions}</footer> : null}
      </div>
      <Toasts layer={layer} />
    </dialog>
  );
}

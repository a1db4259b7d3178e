/** What a bulk edit has changed, and its undoing. */
import { useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { countText } from "../../count-text.ts";
import { Alert } from "../../widgets/alert.tsx";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { type EditTarget, type Outcome, sendUndo } from "./bulk-edit-requests.ts";
import { Refusals } from "./refusals.tsx";

interface BulkEditResultProps {
  readonly target: EditTarget;
  readonly outcome: Outcome;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function Details({ outcome }: { readonly outcome: Outcome }) {
  const { refused, unknown, skipped, problem } = outcome;
  return (
    <>
      <Alert text={problem === undefined ? undefined : errorMessage(problem)} />
      {unknown > 0 ? (
        <p>{countText(unknown)} may have been changed or not: edit the field again, and the preview shows it.</p>
      ) : null}
      {skipped > 0 ? <p>{countText(skipped)} were not reached, and are as before.</p> : null}
      {refused.length > 0 ? <p>{countText(refused.length)} were refused:</p> : null}
      <Refusals refused={refused} />
    </>
  );
}

export function BulkEditResult({ target, outcome, onChanged, onClose }: BulkEditResultProps) {
  const [undone, setUndone] = useState<Outcome>();
  const [progress, setProgress] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const shown = undone ?? outcome;
  const count = countText(shown.changed.length);

  const undo = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const { uid, locale, attribute } = target;
    setUndone(await sendUndo({ uid, locale, attribute }, outcome, { signal, onProgress: setProgress }));
    running.current = undefined;
    setProgress(undefined);
    onChanged();
  };

  return (
    <Dialog
      title={undone ? `Undone in ${count}` : `Changed ${count}`}
      onClose={() => {
        if (running.current) running.current.abort();
        else onClose();
      }}
      actions={
        <>
          {undone || outcome.changed.length === 0 ? null : (
            <Button
              text={progress === undefined ? "Undo" : `${progress.toLocaleString()} undone…`}
              aria-disabled={progress !== undefined}
              onClick={() => progress ?? undo()}
            />
          )}
          <Button kind="primary" text="Close" onClick={onClose} />
        </>
      }
    >
      <div role="status">
        <p>
          {undone
            ? `The earlier value is back in ${count}.`
            : "The documents stay selected. Each one's history has its earlier value."}
        </p>
        <Details outcome={shown} />
      </div>
    </Dialog>
  );
}

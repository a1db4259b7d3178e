/** Confirmation dialogs. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { guardPage } from "../router.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button that goes on says. */
  readonly action: string;
  readonly isDangerous?: boolean;
}

interface OpenQuestion extends Question {
  readonly answer: (isYes: boolean) => void;
}

const openQuestion = signal<OpenQuestion | undefined>(undefined);

/** Resolves with whether to go on. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    openQuestion.value = {
      ...question,
      answer: (isYes) => {
        openQuestion.value = undefined;
        resolve(isYes);
      },
    };
  });

export function ConfirmDialog() {
  const question = openQuestion.value;
  // before the next event
  useLayoutEffect(() => {
    if (!question) return undefined;
    return guardPage(() => {
      question.answer(false);
      return true;
    });
  }, [question]);
  if (!question) return null;
  const { title, text, action, isDangerous, answer } = question;
  return (
    <Dialog
      title={title}
      onClose={() => answer(false)}
      actions={
        <>
          <Button text="Cancel" onClick={() => answer(false)} />
          <Button kind={isDangerous ? "danger" : "primary"} text={action} onClick={() => answer(true)} />
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}

/** Asks before a dialog is closed with what was entered in it. */
import { useRef } from "preact/hooks";
import { confirm } from "./confirm.tsx";

interface GuardedClose {
  /** To be called with each change. */
  readonly onInput: () => void;
  readonly close: () => Promise<void>;
}

export function useGuardedClose(onClose: () => void): GuardedClose {
  const isChanged = useRef(false);
  const isAsking = useRef(false);
  const question = { title: "Close without saving?", text: "What you entered here is lost.", action: "Discard" };
  return {
    onInput: () => {
      isChanged.current = true;
    },
    close: async () => {
      // a second Escape is for the question
      if (isAsking.current) return;
      isAsking.current = true;
      const mayClose = !isChanged.current || (await confirm(question));
      isAsking.current = false;
      if (mayClose) onClose();
    },
  };
}

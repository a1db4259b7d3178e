/** Asks before a dialog is closed with what was entered in it. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { guardPage } from "../router.ts";
import { confirm } from "./confirm.tsx";

interface GuardedClose {
  /** To be called with each change. */
  readonly onInput: () => void;
  readonly close: () => Promise<void>;
}

const question = { title: "Close without saving?", text: "What you entered here is lost.", action: "Discard" };

/** `isGuarded`: whether it asks. */
export function useGuardedClose(onClose: () => void, isGuarded = true): GuardedClose {
  const isChanged = useRef(false);
  const isAsking = useRef(false);
  const close = async (): Promise<void> => {
    // a second Escape is for the question
    if (isAsking.current) return;
    isAsking.current = true;
    const mayClose = !isGuarded || !isChanged.current || (await confirm(question));
    isAsking.current = false;
    if (mayClose) onClose();
  };
  const latest = useRef(close);
  latest.current = close;
  // before the next event
  useLayoutEffect(() => {
    const keepPage = (event: Event): void => {
      if (isGuarded && isChanged.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", keepPage);
    const stopGuarding = guardPage(() => {
      void latest.current();
      return true;
    });
    return () => {
      window.removeEventListener("beforeunload", keepPage);
      stopGuarding();
    };
  }, []);
  return {
    onInput: () => {
      isChanged.current = true;
    },
    close,
  };
}

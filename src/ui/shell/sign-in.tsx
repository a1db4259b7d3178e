/** What is shown without a session. */
import { useEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client.ts";
import { printLink, signInWith, tryAgain } from "../session.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Gate } from "./gate.tsx";

/** A link, or the token in it. */
const tokenIn = (text: string): string => text.trim().replace(/^.*#/, "");

interface SignInProps {
  readonly problem: string | undefined;
}

export function SignIn({ problem }: SignInProps) {
  const [text, setText] = useState("");
  const [notice, setNotice] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    // a link opens another window, which has the same session
    window.addEventListener("focus", tryAgain);
    return () => window.removeEventListener("focus", tryAgain);
  }, []);
  const print = async (): Promise<void> => {
    try {
      const isPrinted = await printLink();
      setNotice(
        isPrinted
          ? "A new link is in the server's terminal: open it, or paste it here."
          : "The server has just printed one, or has no terminal. An admin token opens the page, too.",
      );
    } catch (error) {
      setNotice(errorMessage(error));
    }
  };
  return (
    <Gate>
      <p>
        This page opens with the link that <code>galley serve</code> prints when it starts. A link works once.
      </p>
      <Alert text={problem} />
      <form
        class="gate-form"
        onSubmit={async (event) => {
          event.preventDefault();
          setIsBusy(true);
          await signInWith(tokenIn(text));
          setIsBusy(false);
        }}
      >
        <label class="field-label" for="token">
          Link or admin token
        </label>
        <input
          id="token"
          class="input"
          type="password"
          autocomplete="off"
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button kind="primary" text="Sign in" type="submit" disabled={isBusy} />
      </form>
      <Button kind="link" text="Print a new link in the server's terminal" onClick={print} />
      <p role="status" class="hint">
        {notice}
      </p>
    </Gate>
  );
}

/** Above the page and its dialogs, so that what was entered there is not lost. */
export function SignInAgain(props: SignInProps) {
  const element = useRef<HTMLDialogElement>(null);
  const show = (): void => element.current?.showModal();
  useEffect(show, []);
  return (
    <dialog
      ref={element}
      class="sign-in-again"
      aria-label="Sign in"
      onCancel={(event) => event.preventDefault()}
      onClose={show}
    >
      <SignIn {...props} />
    </dialog>
  );
}

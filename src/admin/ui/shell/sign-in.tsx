/** What is shown without a session, and when the server does not answer. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/client.ts";
import { printLink, signInWith, tryAgain } from "../session.ts";

/** A link, or the token in it. */
const tokenIn = (text: string): string => text.trim().replace(/^.*#/, "");

/** The page around what is shown in its place. */
const Gate = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="gate">
    <div class="gate-box">
      <h1>
        <span class="nav-mark" aria-hidden="true" /> Galley
      </h1>
      {children}
    </div>
  </main>
);

export function SignIn({ problem }: { readonly problem: string | undefined }) {
  const [text, setText] = useState("");
  const [notice, setNotice] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const print = async (): Promise<void> => {
    try {
      const isPrinted = await printLink();
      setNotice(
        isPrinted
          ? "A new link is in the server's terminal: open it, or paste it here."
          : "The server has just printed one, or has no terminal. An admin token opens the page, too.",
      );
    } catch (error) {
      setNotice(messageOf(error));
    }
  };
  return (
    <Gate>
      <p>
        This page opens with the link that <code>galley serve</code> prints when it starts. A link works once.
      </p>
      {problem ? (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      ) : null}
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
        <button type="submit" class="button button-primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <button type="button" class="button-link" onClick={print}>
        Print a new link in the server's terminal
      </button>
      <p role="status" class="hint">
        {notice}
      </p>
    </Gate>
  );
}

const RETRY_MS = 2_000;

export function Unreachable({ problem }: { readonly problem: string }) {
  useEffect(() => {
    const timer = setInterval(tryAgain, RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Gate>
      <p role="alert">{problem}</p>
      <p class="hint">This page continues as soon as it responds.</p>
      <button type="button" class="button button-primary" onClick={tryAgain}>
        Try again
      </button>
    </Gate>
  );
}

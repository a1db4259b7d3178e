/** What is shown in the place of the page: a box, and in it that the server does not answer. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { tryAgain } from "../session.ts";
import { Button } from "../widgets/button.tsx";
import { Logo } from "../widgets/logo.tsx";

export const Gate = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="gate">
    <div class="gate-box">
      <h1>
        <Logo size={28} /> Galley
      </h1>
      {children}
    </div>
  </main>
);

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
      <Button kind="primary" text="Try again" onClick={tryAgain} />
    </Gate>
  );
}

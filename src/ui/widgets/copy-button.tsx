/** Copies a string to the clipboard, and confirms it. */
import { useEffect, useState } from "preact/hooks";
import { announce } from "./announce.tsx";
import { Button } from "./button.tsx";
import { attempt } from "./toasts.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

const SHOWN_MS = 2_000;

/** Throws outside of HTTPS and localhost, where browsers have no clipboard for pages. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  throw new Error("The browser lets pages use the clipboard on localhost and with HTTPS only: select the text");
}

export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      kind="small"
      icon={isCopied ? "check" : "copy"}
      text={isCopied ? "Copied" : "Copy"}
      aria-label={label}
      onClick={async () => {
        await attempt(async () => {
          await copy(text);
          setIsCopied(true);
          announce("Copied");
        });
      }}
    />
  );
}

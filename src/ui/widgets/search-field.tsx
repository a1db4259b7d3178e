/** A search whose text is kept elsewhere, in the URL for instance. The key "/" goes to it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useDocumentEvent } from "../use-document-event.ts";
import { Icon } from "./icon.tsx";
import { isNarrow } from "./narrow.ts";

/** Delay of the search after the last key press. */
const SEARCH_MS = 200;

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchField({ value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  // back and forward change it, too; what was sent from here may be older than what is typed by now
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useDocumentEvent("keydown", (event) => {
    const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.current?.focus();
  });
  return (
    <label class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        class="input"
        placeholder={isNarrow.value ? "Search" : "Search  /"}
        aria-label="Search"
        aria-keyshortcuts="/"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            sent.current = currentTarget.value;
            onChange(currentTarget.value);
          }, SEARCH_MS);
        }}
      />
    </label>
  );
}

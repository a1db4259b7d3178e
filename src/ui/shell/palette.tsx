/** Goes to a type, a document or a setting by its name, or does an action. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useRequest } from "../api/use-request.ts";
import { Dialog } from "../widgets/dialog.tsx";
import { Icon } from "../widgets/icon.tsx";
import { type Entry, findDocuments, findPlaces } from "./palette-entries.ts";

/** Delay of the search for documents after the last key. */
const SETTLE_MS = 150;
const MIN_TEXT = 2;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const wanted = text.trim();
  const isLong = wanted.length >= MIN_TEXT;
  const documents = useRequest(isLong ? (signal) => findDocuments(wanted, signal) : undefined, [wanted], SETTLE_MS);
  const places = findPlaces(text);
  const known = new Set(places.map((entry) => entry.id));
  // the last ones are shown until others are found
  const found = isLong && documents.problem === undefined ? (documents.data ?? []) : [];
  const entries = [...places, ...found.filter((entry) => !known.has(entry.id))];
  const at = Math.min(chosen, entries.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(entries[at]);
    }
  };
  const input = {
    class: "input",
    // Escape closes the dialog: in a search field it would empty it first
    type: "text",
    role: "combobox",
    "aria-label": "Go to",
    "aria-expanded": true,
    "aria-controls": id,
    "aria-autocomplete": "list",
    "aria-activedescendant": entries[at] ? `${id}-${at}` : undefined,
    autocomplete: "off",
    placeholder: "A type, a document, a setting…",
    value: text,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      setText(currentTarget.value);
      setChosen(0);
    },
    onKeyDown,
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form class="stack palette" onSubmit={(event) => event.preventDefault()}>
        <input {...(input as object)} />
        <div id={id} ref={list} class="palette-list" role="listbox" aria-label="Places">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the input
            <div
              key={entry.id}
              id={`${id}-${index}`}
              class="menu-item palette-item"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              data-highlighted={index === at ? "" : undefined}
              onPointerMove={() => setChosen(index)}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} />
              <bdi class="one-line palette-name">{entry.name}</bdi>
              {entry.note ? <span class="muted">{entry.note}</span> : null}
            </div>
          ))}
        </div>
        <p class="hint" role="status">
          {(isLong ? documents.problem : undefined) ??
            (isLong && documents.isLoading
              ? "Searching documents…"
              : entries.length === 0
                ? "Nothing has this name."
                : "")}
        </p>
      </form>
    </Dialog>
  );
}

/** What is opened with a key from anywhere in the page: the palette and the list of keys. */
import { commandKey } from "../command-key.ts";
import { lazy } from "../lazy.tsx";
import { useDocumentEvent } from "../use-document-event.ts";
import { openPanel, type PanelName } from "./open-panel.ts";

const Palette = lazy(async () => (await import("./palette.tsx")).Palette);
const Keys = lazy(async () => (await import("./keys.tsx")).Keys);

const panels = { palette: Palette, keys: Keys } satisfies Record<PanelName, unknown>;

const close = (): void => {
  openPanel.value = undefined;
};

/** The panel of a key; not one that is typed, or that an editor has used. */
function panelOf(event: KeyboardEvent): PanelName | undefined {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
  if (defaultPrevented || altKey || document.querySelector("dialog[open]")) return undefined;
  if (commandKey(event) === "k") return "palette";
  const isTyping = (target as Element).closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  return key === "?" && !ctrlKey && !metaKey && !isTyping ? "keys" : undefined;
}

export function Panels() {
  useDocumentEvent("keydown", (event) => {
    const panel = panelOf(event);
    if (!panel) return;
    event.preventDefault();
    openPanel.value = panel;
  });
  const Panel = openPanel.value && panels[openPanel.value];
  return Panel ? <Panel onClose={close} /> : null;
}

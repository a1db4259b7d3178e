/** Undo of additions, removals and moves in a form by keys, wherever the focus is in no text. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { formatLabel } from "../model.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import { announce } from "../widgets/announce.tsx";
import { entriesAround, type Node } from "./form/tree.ts";
import { isOnTop } from "./is-on-top.ts";
import type { OpenDocument } from "./open-document.ts";
import { hasTextUndo, limitUndo, undoDirection } from "./text-undo.ts";

/** What has changed is seen. */
function reveal(open: OpenDocument, node: Node): void {
  const form = open.form.peek();
  for (const entry of (form && entriesAround(form, node)) ?? []) entry.isOpen.value = true;
  requestAnimationFrame(() => {
    document.getElementById(`${node.id}-label`)?.closest(".field")?.scrollIntoView({ block: "nearest" });
  });
}

export function useUndo(open: OpenDocument, section: RefObject<HTMLElement | null>): void {
  useEffect(limitUndo, []);
  useDocumentEvent("keydown", (event) => {
    const direction = undoDirection(event);
    if (!direction || open.isBusy.peek() || hasTextUndo(document.activeElement) || !isOnTop(section.current)) return;
    const node = open.step(direction);
    if (!node) return;
    reveal(open, node);
    announce(`${direction === "undo" ? "Undone" : "Done again"}: ${formatLabel(node.name)}`);
  });
}

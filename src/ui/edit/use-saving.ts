/** Saving the document of an editor by button or key, with what is told and asked meanwhile. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { commandKey } from "../command-key.ts";
import { hasDrafts } from "../model.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import { attempt, closeProblems, placeOnTop, showDone, showProblem } from "../widgets/toasts.tsx";
import { NewerVersion, type Version } from "./document-requests.ts";
import type { Node } from "./form/tree.ts";
import { isOnTop } from "./is-on-top.ts";
import type { OpenDocument } from "./open-document.ts";

/** What a field is edited with: a toolbar before it may have inputs, too. */
const findControl = (field: Element): HTMLElement | null =>
  field.querySelector<HTMLElement>("[role=textbox]") ?? field.querySelector("textarea, input, button");

/** Scrolls to a field and focuses it. */
export function showField({ id }: Node): void {
  const control = document.getElementById(id);
  const field = control ?? document.getElementById(`${id}-label`)?.closest(".field");
  field?.scrollIntoView({ block: "center" });
  (control ?? (field && findControl(field)))?.focus();
}

/** The same, once a folded entry around it is rendered. */
export const focusField = (node: Node): void => void requestAnimationFrame(() => showField(node));

interface SavingOptions {
  /** The editor's section of the page. */
  readonly section: RefObject<HTMLElement | null>;
  readonly onSaved: ((version: Version) => void) | undefined;
}

export interface Saving {
  /** The last save was refused for values of fields. */
  readonly isRefused: boolean;
  readonly save: (action?: "publish") => Promise<void>;
  /** Saves a document that was deleted meanwhile as a new one. */
  readonly saveAsNew: () => Promise<void>;
}

/** Also handles Ctrl+S and, where there are drafts, Ctrl+Shift+Enter. */
export function useSaving(open: OpenDocument, { section, onSaved }: SavingOptions): Saving {
  const [isRefused, setIsRefused] = useState(false);
  const save = async (action?: "publish", overwrite?: Version): Promise<void> => {
    closeProblems();
    const place = placeOnTop();
    try {
      const wrong = await open.save(action, overwrite);
      setIsRefused(wrong !== undefined);
      if (wrong) {
        focusField(wrong);
        showProblem(new Error("Not saved: some fields are invalid"), place);
        return;
      }
      const { value: version } = open.version;
      showDone(action === "publish" ? "Published" : "Saved");
      if (version) onSaved?.(version);
    } catch (error) {
      if (!(error instanceof NewerVersion)) return showProblem(error, place);
      const { confirmOverwrite } = await import("./confirm-overwrite.ts");
      if (await confirmOverwrite(error)) await save(action, error.version);
    }
  };
  const saveAsNew = async (): Promise<void> => {
    if (await attempt(() => open.makeNew())) await save();
  };
  useDocumentEvent("keydown", (event) => {
    const action = { s: "save", Enter: "publish" }[commandKey(event) ?? ""];
    if (!action || (action === "publish" && !event.shiftKey)) return;
    if (!isOnTop(section.current)) return;
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.dispatchEvent(new Event("change", { bubbles: true }));
    void save(action === "publish" && hasDrafts(open.type) ? "publish" : undefined);
  });
  return { isRefused, save, saveAsNew };
}

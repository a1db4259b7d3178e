/** The actions of a document's menu, with their questions and messages. Loaded when one is chosen. */
import { hasDrafts, isOfProject } from "../model.ts";
import { type KeptTarget, showUndoable } from "../trash/trash-requests.ts";
import { confirm } from "../widgets/confirm.tsx";
import { showDone } from "../widgets/toasts.tsx";
import { deleteDocument, duplicate, performAction } from "./document-actions.ts";
import type { OpenDocument } from "./open-document.ts";

export interface ActionContext {
  readonly open: OpenDocument;
  readonly onDeleted: () => void;
  readonly onOpen: ((documentId: string | undefined, locale: string | undefined) => void) | undefined;
}

/** The document for an undo; undefined before it is saved. Those of plugins are not kept. */
function keptTarget({ type, version, locale }: OpenDocument): KeptTarget | undefined {
  const documentId = version.peek()?.documentId;
  if (documentId === undefined || !isOfProject(type)) return undefined;
  return { contentType: type.uid, documentIds: [documentId], locale };
}

const howLong = (open: OpenDocument): string =>
  keptTarget(open) ? "It can be restored from the trash for 30 days." : "This cannot be undone.";

/** All of them throw the server's errors. */
export const menuActions = {
  async unpublish({ open }) {
    const isModified = open.version.peek()?.status === "modified";
    const isConfirmed = await confirm({
      title: "Unpublish this document?",
      text: `It is offline then${open.locale === undefined ? "" : " in this locale"}: the API does not return it any more. ${
        isModified
          ? "Its draft stays with its changes. What was published can be published again with Undo."
          : "Its draft stays, and can be published again."
      }`,
      action: "Unpublish",
    });
    if (!isConfirmed) return;
    const target = keptTarget(open);
    await performAction(open, "unpublish");
    if (!target) return showDone("Unpublished");
    showUndoable("Unpublished", { ...target, reason: "unpublished" }, () => void open.refresh());
  },
  async discard({ open }) {
    const isConfirmed = await confirm({
      title: "Discard the draft's changes?",
      text: "The draft becomes equal to the published version. Its changes are lost.",
      action: "Discard",
      isDangerous: true,
    });
    if (!isConfirmed) return;
    await performAction(open, "discard");
    showDone("The draft's changes were discarded");
  },
  async revert({ open }) {
    await open.revert();
  },
  async duplicate({ open, onOpen }) {
    onOpen?.(await duplicate(open), open.locale);
    showDone("Duplicated: this is the copy");
  },
  async delete({ open, onDeleted, onOpen }) {
    const isOneOfLocales = open.otherLocales.value.length > 0;
    const isConfirmed = await confirm({
      title: isOneOfLocales ? "Delete this locale of the document?" : "Delete this document?",
      text: [
        hasDrafts(open.type)
          ? `Its draft and published version${isOneOfLocales ? " in this locale" : ""} are deleted. `
          : "",
        isOneOfLocales ? "The other locales stay. " : "",
        howLong(open),
      ].join(""),
      action: "Delete",
      isDangerous: true,
    });
    if (!isConfirmed) return;
    const target = keptTarget(open);
    await deleteDocument(open);
    if (target) showUndoable("Deleted", target, () => onOpen?.(target.documentIds[0], target.locale));
    else showDone("Deleted");
    onDeleted();
  },
} satisfies Readonly<Record<string, (context: ActionContext) => Promise<void>>>;

export type ActionName = keyof typeof menuActions;
